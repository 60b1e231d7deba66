/** Texts that would alter a query if anything let them. */

import fc from 'fast-check'

const pieces = [
  '"',
  '\\',
  '\\u0022',
  '\\U00000022',
  '\n',
  '\r',
  '}',
  '{',
  '#',
  '>',
  '<',
  "'",
  '"""',
  "'''",
  ' . } ; DROP ALL #',
  '$graph',
  '?s',
  '@en',
  '^^',
  '\t',
  '\0',
  '\u2028',
  '\\"',
  '\\\\',
]

/** Random characters, and random sequences of what means something in SPARQL and N-Triples. */
export const hostileText: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
  )
  .filter((text) => text.isWellFormed())
