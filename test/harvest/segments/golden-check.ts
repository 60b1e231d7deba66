/** Golden files of platforms: what a realistic record becomes, and what of DCAT-AP it then breaks. */

import { existsSync, readFileSync } from 'node:fs'
import type { Quad } from '@rdfjs/types'
import {
  type EntryReader,
  entryItem,
  mappedEntry,
  type Portal,
} from '../../../src/harvest/importers/portal.ts'
import { importConfig } from '../../../src/harvest/importers/import-config.ts'
import { fieldsOf } from '../../../src/vocabularies/loose-values.ts'
import type { Fields } from '../../../src/text/json.ts'
import { canonicalise } from '../../../src/rdf/canonical.ts'
import { toLines } from '../../../src/rdf/lines.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { shapeCheck } from '../../support/shape-check.ts'

export const sampleIn = (folder: string): Fields =>
  fieldsOf(JSON.parse(readFileSync(new URL(`${folder}/sample.json`, import.meta.url), 'utf8')))

/** The common keys of a config for that address. */
export const commonConfig = (address: string) => importConfig.parse({ address, catalogue: 'city' })

/** What a platform makes of an entry: what it reads, the record, and the find. */
export const readingOf = (portal: Portal, read: EntryReader) => ({
  read,
  map: (fields: Fields) => mappedEntry(portal, read(fields)),
  find: (value: unknown, output: 'dcat-ap' | 'source' = 'dcat-ap') =>
    entryItem({ ...portal, output }, value, { read }),
})

/** Equal for graphs that differ in the names of blank nodes alone; lines, so that a difference can be read. */
export async function canonicalLines(quads: readonly Quad[]): Promise<string[]> {
  const { labels } = await canonicalise(quads)
  return toLines(quads)
    .split('\n')
    .map((line) => line.replaceAll(/_:([^\s]+)/g, (_, label: string) => `_:${labels.get(label)}`))
    .toSorted()
}

export const expectedIn = async (folder: string): Promise<string[]> => {
  const file = new URL(`${folder}/expected.ttl`, import.meta.url)
  return canonicalLines(await parse(readFileSync(file, 'utf8'), 'turtle', { baseIri: 'urn:x' }))
}

const shapes = new URL('../../../../shared/data/shapes/dcat-ap-3.0.1/shapes.ttl', import.meta.url)
export const hasShapes = existsSync(shapes)

/** What of the base shapes the quads break; sorted. */
export const brokenShapes = async (quads: readonly Quad[]): Promise<string[]> =>
  (await shapeCheck(shapes))(quads)
