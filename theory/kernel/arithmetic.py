"""Sums of terms `c * exp(exponent) * product of logs`: the arithmetic of the normal form.

A normal form is a dictionary `Key -> c` with c in the coefficient field. A key is
`(exponent, logs)`: `logs` lists `(prime, power)` for the factors (log p)^n, and `exponent` is
itself a normal form, frozen. A prime power p^e is therefore the exponent `e log p`; `k^(d log C)`
is the exponent `d log C log k`, equal to that of `C^(d log k)`; and `exp(-A C^-a)` has a term with
a power in its exponent. Integer parts of the prime exponents live in c, so equal terms have equal
keys.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any

from sympy import Abs, Add, Expr, Integer, Mul, Symbol, exp, log

from .deadline import check
from .field import CoefficientField, Fraction, Prime

Key = tuple[frozenset[Any], tuple[tuple[int, int], ...]]
NormalForm = dict[Key, Fraction]

UNIT: Key = (frozenset(), ())
SUMS = ("sum", "signed")
LARGEST_EXPANDED_POWER = 64
LARGEST_MONOMIAL_POWER = 10_000
LARGEST_TERM_COUNT = 5_000
LARGEST_COEFFICIENT = 500  # terms of a numerator or denominator
LARGEST_PRODUCT = 4_000  # terms of a product before like terms are collected


class OutsideScope(ValueError):
    """The expression is outside the normal form; the message says why."""


class Nowhere(OutsideScope):
    """The expression has no value at any point: it divides by zero or takes the logarithm of zero."""


class MustBePositive(Exception):
    """A logarithm needs a sum to be positive that earlier forms took for one of either sign: all forms
    must be found again with that condition.
    """

    def __init__(self, condition: Expr) -> None:
        super().__init__(f"{condition} > 0")
        self.condition = condition


def log_key(prime: int) -> Key:
    return (frozenset(), ((prime, 1),))


def linear_log(key: Key) -> int | None:
    """The prime p if the key is exactly `log p`, else None."""
    exponent, logs = key
    if not exponent and len(logs) == 1 and logs[0][1] == 1:
        return logs[0][0]
    return None


class Arithmetic:
    """Normal forms over one coefficient field, with the side conditions of the operations.

    `positive` and `nonzero` hold the conditions as SymPy expressions; each operation that needs a
    condition records it there.
    """

    def __init__(self, field: CoefficientField) -> None:
        self.field = field
        self.positive: list[Expr] = []
        self.nonzero: list[Expr] = []

    # -- ring operations -------------------------------------------------------------------------------------------

    def constant(self, value: Fraction) -> NormalForm:
        return {UNIT: value} if value else {}

    def add(self, left: NormalForm, right: NormalForm) -> NormalForm:
        if len(left) < len(right):
            left, right = right, left
        total = dict(left)
        for key, value in right.items():
            value = self._bounded(total[key] + value) if key in total else value
            if value:
                total[key] = value
            else:
                del total[key]
        return total

    def _product(self, left: Fraction, right: Fraction) -> Fraction:
        """The product; OutsideScope where a numerator or denominator gets too long."""
        if self.field.one in (left, right):
            return right if left == self.field.one else left
        above, below = (len(left.numer) * len(right.numer), len(left.denom) * len(right.denom))
        if max(above, below) > LARGEST_PRODUCT:
            raise OutsideScope(f"a coefficient expands to more than {LARGEST_COEFFICIENT} terms")
        return self._bounded(left * right)

    def _bounded(self, value: Fraction) -> Fraction:
        if max(len(value.numer), len(value.denom)) > LARGEST_COEFFICIENT:
            raise OutsideScope(f"a coefficient expands to more than {LARGEST_COEFFICIENT} terms")
        return value

    def negate(self, form: NormalForm) -> NormalForm:
        return {key: -value for key, value in form.items()}

    def multiply(self, left: NormalForm, right: NormalForm) -> NormalForm:
        if len(left) * len(right) > LARGEST_TERM_COUNT:
            raise OutsideScope(f"a product expands to more than {LARGEST_TERM_COUNT} terms")
        product: NormalForm = {}
        for key_left, value_left in left.items():
            check()
            for key_right, value_right in right.items():
                factor, key = self._multiply_keys(key_left, key_right)
                value = self._product(self._product(value_left, value_right), factor)
                value = self._bounded(product[key] + value) if key in product else value
                if value:
                    product[key] = value
                else:
                    product.pop(key, None)
        return product

    def _multiply_keys(self, left: Key, right: Key) -> tuple[Fraction, Key]:
        if left == UNIT:
            return self.field.one, right
        if right == UNIT:
            return self.field.one, left
        logs = dict(left[1])
        for prime, power in right[1]:
            logs[prime] = logs.get(prime, 0) + power
        frozen_logs = tuple(sorted(logs.items()))
        if not left[0] or not right[0]:
            return self.field.one, (left[0] or right[0], frozen_logs)
        factor, exponent = self._reduce(self.add(dict(left[0]), dict(right[0])))
        return factor, (exponent, frozen_logs)

    def _reduce(self, exponent: NormalForm) -> tuple[Fraction, frozenset[Any]]:
        """The integer parts of the exponents of primes as a coefficient, and the exponent without them."""
        factor = self.field.one
        reduced: NormalForm = {}
        for key, value in exponent.items():
            prime = linear_log(key)
            if prime is not None and self.field.primes[prime].kind not in SUMS:
                sign = self.field.signs[prime]
                whole = self.field.integer_part(value, 1 if sign else 2)
                if whole:
                    base = self.field.prime_fraction(prime)
                    factor *= self._power_of_fraction(-base if sign < 0 else base, whole)
                    value = value - self.field.rational(whole)
            if value:
                reduced[key] = value
        return factor, frozenset(reduced.items())

    def _power_of_fraction(self, base: Fraction, power: int) -> Fraction:
        terms = max(len(base.numer), len(base.denom))
        limit = LARGEST_MONOMIAL_POWER if terms <= 1 else LARGEST_EXPANDED_POWER
        if abs(power) > limit:
            raise OutsideScope(f"integer power {power} is beyond the expansion limit {limit}")
        if comb(terms + abs(power) - 1, abs(power)) > LARGEST_COEFFICIENT:
            raise OutsideScope(f"a coefficient expands to more than {LARGEST_COEFFICIENT} terms")
        return base**power

    # -- powers, exp, log ------------------------------------------------------------------------------------------

    def integer_power(self, base: NormalForm, power: int) -> NormalForm:
        if power == 0:
            return self.constant(self.field.one)
        if power < 0:
            base = self.canonical(base)
        if not base:
            if power < 0:
                raise Nowhere("division by an expression that is identically zero")
            return {}
        if len(base) == 1:
            ((key, value),) = base.items()
            if power < 0:
                self._require_nonzero(value)
            if power > 0 or not key[1]:
                factor, exponent = self._reduce({k: v * power for k, v in key[0]})
                logs = tuple((prime, n * power) for prime, n in key[1])
                return {(exponent, logs): self._power_of_fraction(value, power) * factor}
        if power > 0:
            if power > LARGEST_EXPANDED_POWER:
                raise OutsideScope(f"integer power {power} of a sum is beyond the expansion limit")
            if comb(len(base) + power - 1, power) > LARGEST_TERM_COUNT:
                raise OutsideScope(f"a power expands to more than {LARGEST_TERM_COUNT} terms")
            result = base
            for _ in range(power - 1):
                result = self.multiply(result, base)
            return result
        scale, prime = self._registered(base, positive=self.is_certainly_positive(base))
        if self.field.primes[prime].kind == "signed":
            self.nonzero.append(self.to_sympy(base))
        return self.multiply(
            self.integer_power(scale, power),
            self._term({log_key(prime): self.field.rational(power)}),
        )

    def _term(self, exponent: NormalForm) -> NormalForm:
        """exp(exponent) for an exponent that is already reduced."""
        return {(frozenset(exponent.items()), ()): self.field.one}

    def power(self, base: NormalForm, exponent: NormalForm) -> NormalForm:
        whole = self._as_integer(exponent)
        if whole is not None:
            return self.integer_power(base, whole)
        if not base:
            raise OutsideScope("a non-integer power of an expression that is identically zero")
        return self.exp(self.multiply(exponent, self.log(base)))

    def exp(self, exponent: NormalForm) -> NormalForm:
        factor, reduced = self._reduce(self.canonical(exponent))
        return {(reduced, ()): factor}

    def log(self, argument: NormalForm) -> NormalForm:
        argument = self.canonical(argument)
        if not argument:
            raise Nowhere("the logarithm of an expression that is identically zero")
        if len(argument) == 1:
            ((key, value),) = argument.items()
            if not key[1]:
                self._refuse_signed_sums(key, value)
                return self.add(self._log_of_fraction(value), dict(key[0]))
        scale, prime = self._positive_sum(argument)
        return self.add(self.log(scale), {log_key(prime): self.field.one})

    def absolute(self, argument: NormalForm) -> NormalForm:
        if self.is_zero(argument):
            return {}
        square = self.integer_power(argument, 2)
        return self.power(square, self.constant(self.field.rational(1, 2)))

    def _log_of_fraction(self, value: Fraction) -> NormalForm:
        sign, unknown = self.field.sign_of(value)
        if unknown:
            product = self.field.rational(sign)
            for prime in unknown:
                product *= self.field.prime_fraction(prime)
            self.positive.append(self.field.to_sympy(product))
            self.field.declare_positive(value)
        elif sign < 0:
            raise OutsideScope("a logarithm or a non-integer power of a negative quantity")
        total: NormalForm = {}
        for prime, multiplicity in self.field.factor(value)[1]:
            if not self.field.signs[prime]:
                self.nonzero.append(self.field.to_sympy(self.field.prime_fraction(prime)))
            total = self.add(total, {log_key(prime): self.field.rational(multiplicity)})
        return total

    def _require_nonzero(self, value: Fraction) -> None:
        for prime in self.field.unknown_primes(value):
            self.nonzero.append(self.field.to_sympy(self.field.prime_fraction(prime)))

    def assume_positive(self, form: NormalForm) -> None:
        """Assume `form > 0`, which fixes the sign of a coefficient (powers of primes are positive) or
        of a sum.
        """
        if len(form) > 1:
            self._registered(form, positive=True)
        for key, value in form.items():
            if len(form) == 1 and not key[1] and not self.has_open_sum(key):
                self.field.declare_positive(value)

    def sign_of_term(self, key: Key, value: Fraction) -> int:
        """The sign of one term, 0 where it is uncertain or the term may vanish."""
        if key[1] or self.has_open_sum(key) or self.field.unknown_primes(value):
            return 0
        return self.field.sign_of(value)[0]

    def is_nonnegative(self, key: Key, value: Fraction) -> bool:
        """Whether one term is certainly not negative; it may vanish."""
        if key[1] or self.has_open_sum(key):
            return False
        sign, unknown = self.field.sign_of(value)
        return sign == 1 and all(map(self.field.is_nonnegative, unknown))

    def has_open_sum(self, key: Key) -> bool:
        """Whether the key holds an odd power of a sum of unknown sign."""
        return any(e.numer.LC % 2 for e in self._signed_sums(key).values())

    def _signed_sums(self, key: Key) -> dict[int, Fraction]:
        """The sums of unknown sign in a key, with their powers."""
        powers = {linear_log(inner): power for inner, power in key[0]}
        return {
            prime: power
            for prime, power in powers.items()
            if prime is not None and self.field.primes[prime].kind == "signed"
        }

    def is_certainly_positive(self, form: NormalForm) -> bool:
        """Whether the form is a sum of terms that are each certainly positive."""
        return bool(form) and all(self.sign_of_term(key, value) == 1 for key, value in form.items())

    def _as_integer(self, form: NormalForm) -> int | None:
        if not form:
            return 0
        if len(form) == 1 and UNIT in form:
            value = form[UNIT]
            if value.numer.is_ground and value.denom == 1:
                return int(value.numer.LC)
        return None

    # -- multi-term bases ------------------------------------------------------------------------------------------

    # A sum that occurs under a logarithm or a non-integer power is recorded positive and is a prime
    # of kind "sum". A sum in a denominator may have either sign: it is a prime of kind "signed" and
    # carries integer exponents only. Where a logarithm then needs its sign, `MustBePositive` is raised.

    def _registered(self, base: NormalForm, *, positive: bool) -> tuple[NormalForm, int]:
        """`(t, W)` with base = t W, where t is one term and W a registered sum; a new sum is
        registered with t = 1.
        """
        for kind in SUMS:
            for prime, scale in self._matches(base, kind):
                if kind == "sum" and not (positive and self._sign(scale) == -1):
                    return scale, prime
                if kind == "signed" and not positive:
                    return scale, prime
        one = self.constant(self.field.one)
        return one, self.field.prime_index(Prime("sum" if positive else "signed", dict(base)), 1)

    def _matches(self, base: NormalForm, kind: str) -> Iterator[tuple[int, NormalForm]]:
        for prime, entry in enumerate(tuple(self.field.primes)):
            check()
            if entry.kind == kind:
                scale = self._ratio(base, entry.value)
                if scale is not None:
                    yield prime, scale

    def _sign(self, form: NormalForm) -> int:
        """The sign of a one-term form, 0 where it is uncertain."""
        ((key, value),) = form.items()
        return self.sign_of_term(key, value)

    def _positive_sum(self, argument: NormalForm) -> tuple[NormalForm, int]:
        """`(t, W)` with argument = t W > 0 and W a positive sum; records the condition."""
        for prime, scale in self._matches(argument, "sum"):
            if self._sign(scale) >= 0:
                return scale, prime
        if not self.is_certainly_positive(argument):
            self.positive.append(self.to_sympy(argument))
        scale, prime = self._registered(argument, positive=True)
        for _, ratio in self._matches(self.field.primes[prime].value, "signed"):
            if self._sign(ratio):
                raise MustBePositive(self.to_sympy(argument))
        return scale, prime

    def _refuse_signed_sums(self, key: Key, value: Fraction) -> None:
        """Raise MustBePositive for the one sum of unknown sign in the argument of a logarithm, whose
        coefficient has a certain sign; OutsideScope where that leaves the sign of the sum open.
        """
        signed = self._signed_sums(key)
        if not signed:
            return
        sign, unknown = self.field.sign_of(value)
        ((prime, power), *others) = signed.items()
        if others or unknown or not power.numer.LC % 2:
            raise OutsideScope(
                "a logarithm or a non-integer power of a quotient of sums of unknown sign"
            )
        raise MustBePositive(sign * self.to_sympy(self.field.primes[prime].value))

    def _ratio(self, left: NormalForm, right: NormalForm) -> NormalForm | None:
        """The one-term t with left = t right, None if there is none."""
        key_left, value_left = next(iter(left.items()))
        for key_right, value_right in right.items():
            if key_left[1] != key_right[1]:
                continue
            difference = self.add(dict(key_left[0]), self.negate(dict(key_right[0])))
            factor, exponent = self._reduce(difference)
            scale: NormalForm = {(exponent, ()): value_left / value_right * factor}
            if self.is_zero(self.add(left, self.negate(self.multiply(scale, right)))):
                return scale
        return None

    def _expand_sum(self, form: NormalForm, prime: int) -> NormalForm:
        """The form with the lowest power of W pulled out of each class of exponents mod Z, and the
        other powers expanded.
        """
        key_of_log = log_key(prime)
        classes: dict[Fraction, list[tuple[Key, Fraction, int]]] = {}
        result: NormalForm = {}
        for (exponent, logs), value in form.items():
            parts = dict(exponent)
            if key_of_log in parts:
                power = parts.pop(key_of_log)
                whole = self.field.integer_part(power, 1)
                rest = power - self.field.rational(whole)
            else:
                whole, rest = 0, self.field.zero
            classes.setdefault(rest, []).append(((frozenset(parts.items()), logs), value, whole))
        for rest, members in classes.items():
            lowest = min(whole for _, _, whole in members)
            common = rest + self.field.rational(lowest)
            factor = {key_of_log: common} if common else {}
            common_term = self._term(factor)
            expanded: NormalForm = {}
            for key, value, whole in members:
                power = self.integer_power(self.field.primes[prime].value, whole - lowest)
                expanded = self.add(expanded, self.multiply({key: value}, power))
            result = self.add(result, self.multiply(expanded, common_term))
        return result

    def canonical(self, form: NormalForm) -> NormalForm:
        """The form with all known signs applied and all sums grouped."""
        result: NormalForm = {}
        for (exponent, logs), value in form.items():
            factor, reduced = self._reduce(dict(exponent))
            result = self.add(result, {(reduced, logs): value * factor})
        for prime in sorted(self._sums_in(result), reverse=True):
            result = self._expand_sum(result, prime)
        return result

    def is_zero(self, form: NormalForm) -> bool:
        return not form or not self.canonical(form)

    def _sums_in(self, form: NormalForm) -> set[int]:
        """The registered sums in the exponents, and the sums inside those."""
        found: set[int] = set()
        for exponent, _ in form:
            for key, _ in exponent:
                prime = linear_log(key)
                if (
                    prime is not None
                    and self.field.primes[prime].kind in SUMS
                    and prime not in found
                ):
                    found |= {prime} | self._sums_in(self.field.primes[prime].value)
        return found

    def split_power(self, form: NormalForm, symbol: Symbol) -> tuple[Expr, NormalForm]:
        """`(e, rest)` with form = symbol^e rest, for a form of one term; e is 0 if the symbol is not a
        factor.
        """
        ((key, value),) = form.items()
        generator = self.field.generator[symbol]
        column = self.field.symbols.index(symbol)
        whole = min(m[column] for m in value.numer) - min(m[column] for m in value.denom)
        ((prime, _),) = self.field.factor(generator)[1]
        powers = dict(key[0])
        exponent = powers.pop(log_key(prime), self.field.zero) + self.field.rational(whole)
        return self.field.to_sympy(exponent), {
            (frozenset(powers.items()), key[1]): value / generator**whole
        }

    def exponents_of_numbers(self, form: NormalForm) -> dict[Key, Expr]:
        """The exponents of e and of integers in a form of one term, by the key that each multiplies."""
        ((key, _),) = form.items()
        return {
            inner: self.field.to_sympy(value)
            for inner, value in key[0]
            if (prime := linear_log(inner)) is None or self.field.primes[prime].kind == "integer"
        }

    # -- back to SymPy ---------------------------------------------------------------------------------------------

    def to_sympy(self, form: NormalForm) -> Expr:
        return Add(*(self._term_to_sympy(key, value) for key, value in form.items()))

    def _term_to_sympy(self, key: Key, value: Fraction) -> Expr:
        return Mul(self.field.to_sympy(value), *self._factors(key))

    def _factors(self, key: Key) -> Iterator[Expr]:
        exponent, logs = key
        for inner, value in exponent:
            prime = linear_log(inner)
            if prime is None:
                yield exp(self._term_to_sympy(inner, value))
            else:
                yield self._prime_to_sympy(prime) ** self.field.to_sympy(value)
        for prime, power in logs:
            yield log(self._prime_to_sympy(prime)) ** power

    def _prime_to_sympy(self, prime: int) -> Expr:
        entry = self.field.primes[prime]
        if entry.kind == "integer":
            return Integer(entry.value)
        if entry.kind in SUMS:
            return self.to_sympy(entry.value)
        base = self.field.to_sympy(self.field.prime_fraction(prime))
        sign = self.field.signs[prime]
        return sign * base if sign else Abs(base)
