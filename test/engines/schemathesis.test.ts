/** Every OpenAPI document that the platform serves, held to what it says by a stranger: no 5xx, no answer beside its schema. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { furtherPaths, servicePaths } from '../../src/main/platform-context.ts'
import { Missing } from '../support/engines/engine.ts'
import { schemathesis } from '../support/engines/schemathesis.ts'
import { client, gateway, remove, temporaryDirectory, type Gateway } from '../support/gateway.ts'
import { prefixes } from '../support/repository.ts'

/** Places that serve no document: SPARQL has the one of its protocol, the console and the portal are pages. */
const without = new Set<string>([servicePaths.sparql, servicePaths.console, servicePaths.portal])
const documents = [...Object.values(servicePaths), ...Object.values(furtherPaths)].filter(
  (place) => !without.has(place),
)

const river = 'https://water.example/river'
const examples = Number(process.env['FUZZ_EXAMPLES'] ?? 5)
const ms = 900_000

describe('the contract', () => {
  let directory: string
  let platform: Gateway
  beforeAll(async () => {
    directory = await temporaryDirectory()
    platform = await gateway(directory)
    const api = client(platform)
    // Called as in the examples of the documents, and without what a profile calls mandatory.
    await api.put('/catalogues/rivers', `${prefixes}<> a dcat:Catalog ; dct:title "Rivers"@en .`)
    for (const id of ['levels', 'gauge-1', 'gauge-2'])
      await api.putDataset('rivers', id, `${prefixes}<> a dcat:Dataset ; dcat:keyword "k"@en .`)
    await api.put(
      '/vocabularies/quality',
      `${prefixes}@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
      <${river}> a skos:ConceptScheme . <${river}/inn> a skos:Concept ; skos:inScheme <${river}> .`,
    )
  })
  afterAll(async () => {
    await platform.stop()
    await remove(directory)
  })

  it.for(documents)(
    'of %s holds for whatever it allows',
    { timeout: ms + 60_000 },
    async (place, { skip }) => {
      const document = `${platform.url}${place}/openapi.json`
      expect((await fetch(document)).status).toBe(200)
      const verdict = await schemathesis({ document, key: platform.key, examples, ms }).catch(
        (error: unknown) => {
          // In CI the program must be there: a suite that skips itself proves nothing.
          if (error instanceof Missing && !process.env['CI']) skip(error.message)
          throw error
        },
      )
      expect(verdict).toEqual({ holds: true, output: verdict.output })
    },
  )
})
