"""Checks JSON documents against a JSON schema.

Knows the part of JSON Schema 2020-12 that report.schema.json uses: type, enum,
const, properties, required, additionalProperties, items, minItems, maxItems,
minimum, pattern, anyOf, and $ref to $defs. Any other keyword is an error, so
that the schema cannot say what nobody checks.

    check_schema.py <schema> <document>...
"""
import json
import re
import sys

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}
SILENT = {"$schema", "$id", "$defs", "title", "description"}


def errors(value, schema, root, path):
    for key, rule in schema.items():
        if key in SILENT:
            continue
        if key == "$ref":
            target = root["$defs"][rule.removeprefix("#/$defs/")]
            yield from errors(value, target, root, path)
        elif key == "type":
            names = rule if isinstance(rule, list) else [rule]
            if not any(TYPES[name](value) for name in names):
                yield f"{path}: {value!r} is no {' or '.join(names)}"
                return
        elif key == "enum":
            if value not in rule:
                yield f"{path}: {value!r} is none of {rule}"
        elif key == "const":
            if value != rule:
                yield f"{path}: {value!r} is not {rule!r}"
        elif key == "anyOf":
            # Alternatives are "something or null": the errors of the something
            # tell more than that nothing fits.
            rest = [s for s in rule if s != {"type": "null"}]
            if value is not None or len(rest) == len(rule):
                assert len(rest) == 1
                yield from errors(value, rest[0], root, path)
        elif key == "required":
            for name in rule:
                if isinstance(value, dict) and name not in value:
                    yield f"{path}: '{name}' is missing"
        elif key == "properties":
            for name, inner in rule.items():
                if isinstance(value, dict) and name in value:
                    yield from errors(value[name], inner, root, f"{path}.{name}")
        elif key == "additionalProperties":
            assert rule is False
            for name in value if isinstance(value, dict) else ():
                if name not in schema["properties"]:
                    yield f"{path}: '{name}' is not in the schema"
        elif key == "items":
            for i, item in enumerate(value if isinstance(value, list) else ()):
                yield from errors(item, rule, root, f"{path}[{i}]")
        elif key in ("minItems", "maxItems"):
            if isinstance(value, list):
                if (len(value) < rule) if key == "minItems" else (len(value) > rule):
                    yield f"{path}: {len(value)} items, {key} is {rule}"
        elif key == "minimum":
            if isinstance(value, int) and value < rule:
                yield f"{path}: {value} is below {rule}"
        elif key == "pattern":
            if isinstance(value, str) and not re.search(rule, value):
                yield f"{path}: {value!r} does not match {rule}"
        else:
            yield f"{path}: the schema's keyword '{key}' is not known here"


def main(schema_path, *documents):
    with open(schema_path, encoding="utf-8") as f:
        schema = json.load(f)
    failed = False
    for name in documents:
        with open(name, encoding="utf-8") as f:
            for error in errors(json.load(f), schema, schema, "$"):
                print(f"{name}: {error}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
