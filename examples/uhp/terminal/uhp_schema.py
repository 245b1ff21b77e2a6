"""A small JSON Schema validator: the part of draft 2020-12 that the published schemas use.

A keyword that is not known here is an error, never skipped. Besides the standard keywords there are
`x-maxUtf8Bytes` (of a text) and `x-maxTotalUtf8Bytes` (of all texts of a list); other `x-` keywords
are notes. References lead to published documents only: nothing is fetched.
"""

import json
import re
from pathlib import Path
from urllib.parse import urldefrag, urljoin

PROTOCOL = Path(__file__).resolve().parents[3] / "protocol" / "uhp" / "v1"
BASE = "https://luvus.example/protocol/uhp/v1/"
NOTES = {"$schema", "$id", "$defs", "title", "description", "default", "then", "else"}


class DuplicateKey(ValueError):
    """A key stands twice in one object."""


def parse(text):
    """JSON with every key once; the ordinary parser keeps the last of two silently."""

    def once(pairs):
        found = dict(pairs)
        if len(found) != len(pairs):
            raise DuplicateKey("a key stands twice in one object")
        return found

    def constant(name):
        raise ValueError(f"{name} is no JSON")

    return json.loads(text, object_pairs_hook=once, parse_constant=constant)


def is_integer(value):
    return not isinstance(value, bool) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))


TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": is_integer,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def same(one, other):
    """Equality of JSON: true is not 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    return one == other


class Schemas:
    """The published documents by their `$id`."""

    def __init__(self, documents):
        self.documents = documents

    @classmethod
    def of_folder(cls, folder=PROTOCOL):
        """Those of a checkout."""
        files = [path for path in Path(folder).rglob("*.json") if "fixtures" not in path.parts]
        documents = [parse(path.read_text(encoding="utf-8")) for path in files]
        return cls({document["$id"]: document for document in documents})

    @classmethod
    def of_bundle(cls, bundle):
        """Those that `luvus uhp schema` prints."""
        return cls({document["$id"]: document for document in bundle["documents"]})

    def resolve(self, reference, base):
        """The schema that a reference means, and the document it stands in."""
        address, fragment = urldefrag(urljoin(base, reference))
        node = self.documents[address]
        for part in filter(None, fragment.split("/")):
            node = node[part.replace("~1", "/").replace("~0", "~")]
        return node, address

    def has(self, path):
        """Whether a document is published under that path."""
        return BASE + path in self.documents

    def faults(self, path, value):
        """What is wrong with a value by the schema at that path; empty when nothing is."""
        schema, base = self.resolve(path, BASE)
        return list(self._check(schema, value, base, "$"))

    def _check(self, schema, value, base, at):
        if isinstance(schema, bool):
            if not schema:
                yield f"{at}: nothing may stand here"
            return
        for keyword, wanted in schema.items():
            if keyword in NOTES or (keyword.startswith("x-") and keyword not in KEYWORDS):
                continue
            check = KEYWORDS.get(keyword)
            if check is None:
                raise KeyError(f"the validator does not know the keyword {keyword}")
            yield from check(self, schema, wanted, value, base, at)

    def _passes(self, schema, value, base):
        return next(self._check(schema, value, base, "$"), None) is None


def _ref(self, _schema, wanted, value, base, at):
    target, document = self.resolve(wanted, base)
    yield from self._check(target, value, document, at)


def _type(_self, _schema, wanted, value, _base, at):
    names = [wanted] if isinstance(wanted, str) else wanted
    if not any(TYPES[name](value) for name in names):
        yield f"{at}: expected {' or '.join(names)}"


def _enum(_self, _schema, wanted, value, _base, at):
    if not any(same(value, one) for one in wanted):
        yield f"{at}: not one of the {len(wanted)} known values"


def _const(_self, _schema, wanted, value, _base, at):
    if not same(value, wanted):
        yield f"{at}: expected {json.dumps(wanted)}"


def _required(_self, _schema, wanted, value, _base, at):
    if isinstance(value, dict):
        yield from (f"{at}: `{name}` is missing" for name in wanted if name not in value)


def _properties(self, _schema, wanted, value, base, at):
    if isinstance(value, dict):
        for name, schema in wanted.items():
            if name in value:
                yield from self._check(schema, value[name], base, f"{at}.{name}")


def _additional(self, schema, wanted, value, base, at):
    if isinstance(value, dict):
        for name in value.keys() - schema.get("properties", {}).keys():
            yield from self._check(wanted, value[name], base, f"{at}.{name}")


def _property_names(self, _schema, wanted, value, base, at):
    if isinstance(value, dict):
        for name in value:
            yield from self._check(wanted, name, base, f"{at}.{name}")


def _prefix_items(self, _schema, wanted, value, base, at):
    if isinstance(value, list):
        for index, (schema, item) in enumerate(zip(wanted, value)):
            yield from self._check(schema, item, base, f"{at}[{index}]")


def _items(self, schema, wanted, value, base, at):
    if isinstance(value, list):
        first = len(schema.get("prefixItems", []))
        for index, item in enumerate(value[first:], first):
            yield from self._check(wanted, item, base, f"{at}[{index}]")


def _unique(_self, _schema, wanted, value, _base, at):
    if wanted and isinstance(value, list):
        texts = [json.dumps(item, sort_keys=True) for item in value]
        if len(set(texts)) != len(texts):
            yield f"{at}: an item stands twice"


def _bound(kind, measure, fits, words):
    def check(_self, _schema, wanted, value, _base, at):
        if kind(value) and not fits(measure(value), wanted):
            yield f"{at}: {words} {wanted}"

    return check


def _pattern(_self, _schema, wanted, value, _base, at):
    # `$` of the schemas is the very end, not the place before a last line end.
    if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", wanted), value):
        yield f"{at}: not of the expected form"


def _any_of(self, _schema, wanted, value, base, at):
    if not any(self._passes(schema, value, base) for schema in wanted):
        yield f"{at}: none of {len(wanted)} forms"


def _one_of(self, _schema, wanted, value, base, at):
    count = sum(self._passes(schema, value, base) for schema in wanted)
    if count != 1:
        yield f"{at}: {count} of {len(wanted)} forms in place of one"


def _all_of(self, _schema, wanted, value, base, at):
    for schema in wanted:
        yield from self._check(schema, value, base, at)


def _not(self, _schema, wanted, value, base, at):
    if self._passes(wanted, value, base):
        yield f"{at}: of a form that is ruled out"


def _if(self, schema, wanted, value, base, at):
    branch = "then" if self._passes(wanted, value, base) else "else"
    yield from self._check(schema.get(branch, True), value, base, at)


def _utf8(value):
    return len(value.encode("utf-8", "surrogatepass"))


_text, _list, _number, _object = TYPES["string"], TYPES["array"], TYPES["number"], TYPES["object"]
KEYWORDS = {
    "$ref": _ref, "type": _type, "enum": _enum, "const": _const, "required": _required,
    "properties": _properties, "additionalProperties": _additional, "items": _items, "propertyNames": _property_names,
    "prefixItems": _prefix_items, "uniqueItems": _unique, "pattern": _pattern,
    "anyOf": _any_of, "oneOf": _one_of, "allOf": _all_of, "not": _not, "if": _if,
    "minLength": _bound(_text, len, lambda is_, least: is_ >= least, "shorter than"),
    "maxLength": _bound(_text, len, lambda is_, most: is_ <= most, "longer than"),
    "minItems": _bound(_list, len, lambda is_, least: is_ >= least, "fewer items than"),
    "maxItems": _bound(_list, len, lambda is_, most: is_ <= most, "more items than"),
    "maxProperties": _bound(_object, len, lambda is_, most: is_ <= most, "more fields than"),
    "minimum": _bound(_number, lambda value: value, lambda is_, least: is_ >= least, "less than"),
    "maximum": _bound(_number, lambda value: value, lambda is_, most: is_ <= most, "more than"),
    "exclusiveMinimum": _bound(_number, lambda value: value, lambda is_, least: is_ > least, "not more than"),
    "exclusiveMaximum": _bound(_number, lambda value: value, lambda is_, most: is_ < most, "not less than"),
    "x-maxUtf8Bytes": _bound(_text, _utf8, lambda is_, most: is_ <= most, "more UTF-8 bytes than"),
    "x-maxTotalUtf8Bytes": _bound(
        _list, lambda items: sum(_utf8(item) for item in items if isinstance(item, str)),
        lambda is_, most: is_ <= most, "more UTF-8 bytes in all than"),
}
