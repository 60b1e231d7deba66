/** A sample of the W3C suites through HTTP: every case goes in and comes out in every format, and means the same in each. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Quad } from '@rdfjs/types'
import { Failure } from '../../src/errors.ts'
import { serve, type RunningServer } from '../../src/http/serve.ts'
import { toLine, toLines } from '../../src/rdf/lines.ts'
import { formats, type Format } from '../../src/rdf/media-types.ts'
import { dcat, dct, rdf, spdx } from '../../src/rdf/namespaces.ts'
import { parse } from '../../src/rdf/parse.ts'
import { serialise } from '../../src/rdf/serialise.ts'
import { literal, namedNode, quad } from '../../src/rdf/terms.ts'
import { base, repository } from '../support/repository.ts'
import { isThere, note } from './archive.ts'
import { jsonLd11, rdf11, same, type Case } from './cases.ts'
import { known } from './known.ts'

const all = Object.keys(formats) as Format[]
const size = 60
const dataset = namedNode(`${base}set/data/w3c`)

/** As many cases of each suite as its share, spread over it. */
async function sample(): Promise<readonly Case[]> {
  const cases = [...(await rdf11()), ...jsonLd11()].filter(
    ({ id, expected }) => typeof expected === 'object' && !known.has(id),
  )
  return Array.from(
    { length: size },
    (_, n) => cases[Math.floor((n * cases.length) / size)],
  ).filter((one) => one !== undefined)
}

/** What a case says, as triples about nothing that the platform names itself. */
async function said({ text, format, base: baseIri }: Case): Promise<readonly Quad[]> {
  const quads = await parse(text, format, { baseIri })
  const triples = quads.map(({ subject, predicate, object }) => quad(subject, predicate, object))
  return [...new Map(triples.map((one) => [toLine(one), one])).values()]
}

const written = (quads: readonly Quad[], format: Format): Promise<string | undefined> =>
  serialise(toLines(quads), format).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'not-acceptable') return undefined
    throw error
  })

/** Without the catalogue record, which is the platform's own. */
function ofSender(quads: readonly Quad[]): readonly Quad[] {
  const record = `${base}set/record/w3c`
  const checksums = new Set(
    quads
      .filter(({ predicate }) => predicate.value === spdx('checksum').value)
      .map(({ object }) => object.value),
  )
  return quads.filter(({ subject: { value } }) => value !== record && !checksums.has(value))
}

describe.skipIf(!isThere)(`a sample through HTTP${note}`, () => {
  let repo: Awaited<ReturnType<typeof repository>>
  let served: RunningServer
  beforeAll(async () => {
    repo = await repository()
    await repo.putCatalogue('suites')
    served = await serve(repo.app, { port: 0 })
  })
  afterAll(async () => {
    await served.close()
    await repo.close()
  })

  const put = async (body: string, format: Format) => {
    const answer = await fetch(`${served.url}/catalogues/suites/datasets/origin?originalId=w3c`, {
      method: 'PUT',
      headers: {
        'X-API-Key': 'a-key-for-everything',
        'Content-Type': formats[format].mediaType,
      },
      body,
    })
    await answer.body?.cancel()
    return answer.status
  }
  const get = (format: Format) => fetch(`${served.url}/datasets/w3c.${formats[format].suffix}`)

  /** What is wrong with a case in one format; the first format of a case changes the record, all others must not. */
  async function wrong(quads: readonly Quad[], format: Format, isFirst: boolean) {
    const body = await written(quads, format)
    if (body === undefined) {
      const answer = await get(format)
      await answer.body?.cancel()
      return answer.status === 406 ? undefined : `GET ${answer.status}, and must be 406`
    }
    const status = await put(body, format)
    if (isFirst ? status > 204 : status !== 304) return `PUT ${status}`
    const answer = await get(format)
    const text = await answer.text()
    if (answer.status !== 200) return `GET ${answer.status} ${text}`
    const back = await parse(text, format, { baseIri: base })
    const triples = back.map((one) => quad(one.subject, one.predicate, one.object))
    return same(ofSender(triples), quads) ? undefined : 'comes back as something else'
  }

  it('means the same in every format: it is stored once, unchanged by the others, and comes back', async () => {
    const found: string[] = []
    const cases = await sample()
    expect(cases).toHaveLength(size)
    for (const one of cases) {
      const quads = [
        ...(await said(one)),
        quad(dataset, rdf('type'), dcat('Dataset')),
        quad(dataset, dct('title'), literal(one.id)),
      ]
      for (const [at, format] of all.toReversed().entries()) {
        const fault = await wrong(quads, format, at === 0)
        if (fault !== undefined) found.push(`${one.id} as ${format}: ${fault}`)
      }
    }
    expect(found).toEqual([])
  }, 120_000)
})
