/** The reader against the W3C suites: RDF 1.1 (992 cases) and JSON-LD 1.1 `toRdf` (467), as whole documents and in pieces. */

import { describe, expect, it } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { parse } from '../../src/rdf/parse.ts'
import { parseStream } from '../../src/rdf/reading/parse-stream.ts'
import { pieces } from '../rdf/graphs.ts'
import { isThere, note } from './archive.ts'
import { fault, jsonLd11, rdf11, type Case, type Reading } from './cases.ts'
import { known } from './known.ts'

const whole: Reading = (text, format, baseIri) => parse(text, format, { baseIri })
const inPieces: Reading = async (text, format, baseIri) => {
  const quads: Quad[] = []
  for await (const batch of parseStream(pieces(text, 11), format, { baseIri })) quads.push(...batch)
  return quads
}

/** Those that fail and are not known to, and those that are known to fail and do not. */
async function surprises(cases: readonly Case[], read: Reading): Promise<readonly string[]> {
  const found: string[] = []
  for (const one of cases) {
    const wrong = await fault(one, read)
    if (wrong !== undefined && !known.has(one.id)) found.push(`${one.id} ${wrong}`)
    if (wrong === undefined && known.has(one.id)) found.push(`${one.id} passes`)
  }
  return found
}

describe.skipIf(!isThere)(`the reader${note}`, () => {
  it.each([
    ['whole', whole],
    ['in pieces', inPieces],
  ])('passes every case of RDF 1.1, %s', async (_, read) => {
    const cases = await rdf11()
    expect(cases).toHaveLength(992)
    expect(await surprises(cases, read)).toEqual([])
  })

  it('passes the cases of JSON-LD 1.1 but for those that are known to fail', async () => {
    const cases = jsonLd11()
    expect(cases).toHaveLength(467)
    expect(new Set(known.keys()).isSubsetOf(new Set(cases.map(({ id }) => id)))).toBe(true)
    expect(await surprises(cases, whole)).toEqual([])
  })
})
