/** Lines of values in JSON texts. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonLines } from '../../../src/profile/entry-file.ts'

const text = `{
  "version": "1",
  "core": [
    { "id": "a,]}\\"", "path": "x" },
    {
      "id": "b", "tags": [],
      "path": { "deep": [1, [true,
        null]] } } ],
  "last": -1.5e3
}`

test.each([
  [[], 1],
  [['version'], 2],
  [['core'], 3],
  [['core', 0], 4],
  [['core', 0, 'path'], 4],
  [['core', 1], 5],
  [['core', 1, 'id'], 6],
  [['core', 1, 'path'], 7],
  [['core', 1, 'path', 'deep', 1, 1], 8],
  [['last'], 9],
  [['core', 1, 'absent'], 5],
  [['absent', 'deep'], 1],
])('%j stands on line %i', (path, line) => {
  expect(jsonLines(text)(path)).toBe(line)
})

/** Every path of a value, the outer ones first. */
const pathsOf = (value: unknown, at: readonly (string | number)[] = []): (string | number)[][] => [
  [...at],
  ...(Array.isArray(value)
    ? value.flatMap((part, index) => pathsOf(part, [...at, index]))
    : Object.entries(Object(typeof value === 'object' ? value : {})).flatMap(([key, part]) =>
        pathsOf(part, [...at, key]),
      )),
]

test('in a text with one value per line, every path has a line of its own, in order', () => {
  const property = fc.property(fc.jsonValue(), (value) => {
    const printed = JSON.stringify(value, null, 1)
    const line = jsonLines(printed)
    const lines = pathsOf(JSON.parse(printed)).map((path) => line(path))
    expect(new Set(lines).size).toBe(lines.length)
    expect(lines).toEqual(lines.toSorted((a, b) => a - b))
  })
  fc.assert(property)
})
