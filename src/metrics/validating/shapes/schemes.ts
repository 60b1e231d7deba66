/** The controlled vocabularies that are shipped, as far as validation needs them: which scheme a concept is in. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { skos } from '../../../rdf/namespaces.ts'
import { parse } from '../../../rdf/parse.ts'

export type Schemes = readonly (readonly [concept: string, scheme: string])[]

const inScheme = skos('inScheme').value

/** Concept and scheme of every concept in the Turtle files of a directory. */
export async function readSchemes(directory: string): Promise<Schemes> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.ttl'))
  const found: (readonly [string, string])[] = []
  for (const file of files.sort()) {
    const text = await readFile(join(directory, file), 'utf8')
    for (const { subject, predicate, object } of await parse(text, 'turtle', { baseIri: '' })) {
      if (predicate.value === inScheme) found.push([subject.value, object.value])
    }
  }
  return found
}
