"""The derived envelope against compute laws taken from runs directly: the frontier, isoFLOP minima,
runs at a fixed ratio D/N.
"""
