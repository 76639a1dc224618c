"""-log accuracy and accuracy itself."""
