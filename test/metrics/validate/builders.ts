/** Records and shapes for the tests of validation. */

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Quad } from '@rdfjs/types'
import { logger } from '../../../src/log.ts'
import {
  openValidation,
  type Validation,
  type ValidationOptions,
} from '../../../src/metrics/validate/validation.ts'
import { parse } from '../../../src/rdf/parse.ts'

export const prefixes = `
  @prefix : <https://example.org/> .
  @prefix dcat: <http://www.w3.org/ns/dcat#> .
  @prefix dct: <http://purl.org/dc/terms/> .
  @prefix sh: <http://www.w3.org/ns/shacl#> .
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  @prefix spdx: <http://spdx.org/rdf/terms#> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
`
export const turtle = (text: string): Promise<Quad[]> =>
  parse(prefixes + text, 'turtle', { baseIri: '' })

export const sound = ':d a dcat:Dataset ; dct:title "Title" ; dct:description "Text" .'
export const untitled = ':d a dcat:Dataset ; dct:description "Text" .'

const directory = new URL('../../../shapes/dcat-ap', import.meta.url).pathname

/** Models of the institution from their texts, with what a test wants otherwise. */
export function opened(
  models: Readonly<Record<string, string>> = {},
  options: Partial<ValidationOptions> = {},
): Promise<Validation> {
  const folder = mkdtempSync(join(tmpdir(), 'models-'))
  const institutionModels = Object.fromEntries(
    Object.entries(models).map(([name, text]) => {
      const path = join(folder, `${name}.ttl`)
      writeFileSync(path, prefixes + text)
      return [name, [path]]
    }),
  )
  return openValidation({
    directory,
    institutionModels,
    workers: 1,
    log: logger('silent'),
    ...options,
  })
}

/** Asks for a title; `^(a+)+$` takes ages for a long row of them that ends otherwise. */
export const endless = `:E a sh:NodeShape ; sh:targetClass dcat:Dataset ;
  sh:property [ sh:path dct:title ; sh:pattern "^(a+)+$" ] .`
export const endlessTitle = `:d a dcat:Dataset ; dct:title "${'a'.repeat(60)}!" .`

export const never = new AbortController().signal
