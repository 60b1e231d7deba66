/** The tables that the product ships. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from '../../rdf/parse.ts'
import { graphOf } from '../../rdf/read.ts'
import type { Concept } from './concept.ts'
import { conceptsOf, schemeIn } from './reading.ts'

/** Scheme IRI → its concepts. */
type Tables = ReadonlyMap<string, readonly Concept[]>

export type Bundled = {
  readonly tables: Tables
  /** Registered media types in lower case (IANA). */
  readonly mediaTypes: ReadonlySet<string>
}

const mediaTypesFile = 'iana-media-types.txt'

async function tableIn(file: string): Promise<readonly [string, readonly Concept[]]> {
  const text = await readFile(file, 'utf8')
  const graph = graphOf(await parse(text, 'turtle', { baseIri: 'urn:cartulary:bundled:' }))
  const scheme = schemeIn(graph)
  if (scheme === undefined) throw new Error(`${file} has no concept scheme`)
  return [scheme, conceptsOf(graph, scheme)]
}

/** Reads every `*.ttl` of a directory, each one vocabulary, and the list of media types when there is one. */
export async function loadBundled(directory: string): Promise<Bundled> {
  const names = (await readdir(directory)).toSorted()
  const tables = new Map<string, readonly Concept[]>()
  for (const name of names.filter((one) => one.endsWith('.ttl'))) {
    const [scheme, concepts] = await tableIn(join(directory, name))
    tables.set(scheme, concepts)
  }
  const list = names.includes(mediaTypesFile)
    ? await readFile(join(directory, mediaTypesFile), 'utf8')
    : ''
  const lines = list.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return { tables, mediaTypes: new Set(lines.map((line) => line.toLowerCase())) }
}
