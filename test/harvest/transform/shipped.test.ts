/** The example pipes that transform do what they say; and what makes a transformation another one. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { constructTransformer } from '../../../src/harvest/transform/construct.ts'
import { scriptTransformer } from '../../../src/harvest/transform/script.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import { readPipe } from '../../../src/pipe/pipe-schema.ts'
import { folder, put } from '../../pipe/sources/sources-fixture.ts'
import { dataset, end, record, shapeOf, runTransformer, triplesOf } from './run-transformer.ts'

/** The config of the second segment of an example. */
function example(name: string): JsonObject {
  const url = new URL(`../../../pipes/examples/${name}.yaml`, import.meta.url)
  const read = readPipe(readFileSync(url, 'utf8'), `${name}.yaml`)
  if (!('pipe' in read)) throw new Error(JSON.stringify(read.problems))
  return read.pipe.body.segments[1]?.body.config ?? {}
}

describe('an example', () => {
  it('by a script adds a keyword to every dataset', async () => {
    const { texts } = await runTransformer(scriptTransformer, example('transforming-js'))
    expect(texts.map((text) => /keyword> (.*) \./.exec(text)?.[1])).toEqual([
      '"open water data"@en',
      '"open water data"@en',
    ])
  })

  it('by a query leaves e-mail addresses out and everything else in', async () => {
    const mail = '_:c <http://www.w3.org/2006/vcard/ns#hasEmail> <mailto:a@city.example> .\n'
    const input = [record(1, { text: triplesOf(1) + mail }), end]
    const config = example('transforming-sparql')
    const { texts } = await runTransformer(constructTransformer, config, { input })
    expect(texts[0]).not.toContain('mailto:')
    expect(texts[0]).toContain(`<${dataset(1)}>`)
    expect(texts[0]?.trim().split('\n')).toHaveLength(4)
  })
})

it('the script of the harvesting page gives every dataset its publisher', async () => {
  const page = readFileSync(new URL('../../../docs/harvesting.md', import.meta.url), 'utf8')
  const [, text = ''] = /```yaml\n(- header: \{ name: transforming-js[^]*?)```/.exec(page) ?? []
  const [segment] = parse(text) as [{ body: { config: JsonObject } }]
  const { texts, problems } = await runTransformer(scriptTransformer, segment.body.config)
  expect(problems).toEqual([])
  for (const text of texts) expect(text).toContain('publisher> <https://city.example/id/office> .')
  expect(texts).toHaveLength(2)
})

describe('the shape of a transformation', () => {
  const script = 'const transforming = (x) => x'
  const query = 'CONSTRUCT WHERE { ?s ?p ?o }'

  it('is the same for the same work', () => {
    expect(shapeOf(scriptTransformer, { script })).toMatch(/^[0-9a-f]{64}$/)
    expect(shapeOf(scriptTransformer, { script, unknown: 1 })).toBe(
      shapeOf(scriptTransformer, { script, params: {}, single: false }),
    )
    expect(shapeOf(constructTransformer, { query })).toBe(
      shapeOf(constructTransformer, { queries: [query] }),
    )
  })

  it('changes with the script, its params and the queries', () => {
    const shapes = [
      shapeOf(scriptTransformer, { script }),
      shapeOf(scriptTransformer, { script: `${script} ` }),
      shapeOf(scriptTransformer, { script, params: { a: 1 } }),
      shapeOf(scriptTransformer, { script, single: true }),
      shapeOf(constructTransformer, { query }),
      shapeOf(constructTransformer, { query, keep: true }),
      shapeOf(constructTransformer, { queries: [query, query] }),
    ]
    expect(new Set(shapes).size).toBe(shapes.length)
  })

  it('is that of the text, wherever the text stands', async () => {
    const directory = folder()
    const config = { scriptType: 'localFile', path: 'a.js' }
    await put(directory, 'scripts/a.js', script)
    expect(shapeOf(scriptTransformer, config, { directory })).toBe(
      shapeOf(scriptTransformer, { script }),
    )
    await put(directory, 'scripts/a.js', `${script}\n`)
    expect(shapeOf(scriptTransformer, config, { directory })).not.toBe(
      shapeOf(scriptTransformer, { script }),
    )
  })
})
