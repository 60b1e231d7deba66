/** Pipes for tests. */

import type { Pipe } from '../../src/pipe/document.ts'
import type { JsonObject } from '../../src/text/json.ts'

/** A pipe of segments by name and config, numbered from 1. */
export const pipeOf = (name: string, ...segments: readonly (readonly [string, JsonObject?])[]) =>
  ({
    header: { id: `id-${name}`, name, transport: 'payload', version: '2.0.0' },
    body: {
      segments: segments.map(([name, config = {}], index) => ({
        header: { name, segmentNumber: index + 1, processed: false },
        body: { config },
      })),
    },
  }) satisfies Pipe

/** An RDF source into the repository. */
export const harvestOf = (name: string, config: JsonObject = {}) =>
  pipeOf(
    name,
    [
      'importing-rdf',
      { address: 'https://data.city.example/catalog.ttl', catalogue: 'city', ...config },
    ],
    ['exporting-hub'],
  )
