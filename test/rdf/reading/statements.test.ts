/** Statements say the same as terms that are written again. */

import { describe, expect, it } from 'vitest'
import { statementsOf, toLine } from '../../../src/rdf/lines.ts'
import { parseStream } from '../../../src/rdf/reading/parse-stream.ts'
import { pieces } from '../graphs.ts'

const options = { baseIri: 'https://example.org/' }

async function all<Found>(batches: AsyncIterable<readonly Found[]>): Promise<Found[]> {
  const found: Found[] = []
  for await (const batch of batches) found.push(...batch)
  return found
}

describe('statements of a document', () => {
  const turtle =
    '@prefix e: <urn:> . e:s e:p "x"@en, [ e:q "1"^^<http://www.w3.org/2001/XMLSchema#string> ] .'
  const lines = '<urn:s> <urn:p> "x" .\n# told\n<urn:s> <urn:p> "\\u0041" .\n_:a <urn:p> _:a .\n'

  it.each([
    ['turtle', turtle],
    ['ntriples', lines],
  ] as const)('of %s are those of its quads', async (format, text) => {
    for (const size of [1, 7, 1000]) {
      const statements = await all(statementsOf(parseStream(pieces(text, size), format, options)))
      const quads = await all(parseStream(pieces(text, size), format, options))
      // Labels of blank nodes are those of the parse.
      const plain = (found: readonly string[]) => found.map((one) => one.replace(/_:p\d+_/g, '_:'))
      expect(plain(statements.map((one) => one.line))).toEqual(
        plain(quads.map((one) => `${toLine(one)}\n`)),
      )
    }
  })

  it('broken ones are named by their line', async () => {
    const text = `<urn:s> <urn:p> "x" .\n<urn:s> <urn:p> "y" .\noops\n`
    for (const size of [1, 7, 1000])
      await expect(
        all(statementsOf(parseStream(pieces(text, size), 'ntriples', options))),
      ).rejects.toMatchObject({ errors: [expect.objectContaining({ line: 3 }) as object] })
  })
})
