/** Bodies and ids that try what a repository must bear. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from '../../src/rdf/parse.ts'
import { base, prefixes, repository } from '../support/repository.ts'

let repo: Awaited<ReturnType<typeof repository>>
beforeAll(async () => {
  repo = await repository()
  await repo.putCatalogue('other')
})
afterAll(() => repo.close())

const distributions = async (id: string) => {
  const text = await (await repo.ask(`/datasets/${id}.nt`)).text()
  return (await parse(text, 'ntriples', { baseIri: base }))
    .filter((q) => q.predicate.value.endsWith('#distribution'))
    .map((q) => q.object.value)
    .sort()
}

describe('a body that looks like bookkeeping', () => {
  const lookalike = `${prefixes}@prefix spdx: <http://spdx.org/rdf/terms#> .
<> a dcat:Dataset ; dct:title "Attacker" .
<http://x/0> foaf:primaryTopic <> ; dct:identifier "seed1" ; dct:issued "2020" ; dct:modified "2020" ;
  spdx:checksum [ spdx:checksumValue "0" ] .`

  it('is never taken for the record of its dataset', async () => {
    await repo.putDataset('other', 'seed1', `${prefixes}<> a dcat:Dataset ; dct:title "Seed" .`)
    await repo.putDataset('other', 'att', lookalike)
    const seed = await (await repo.ask('/datasets/seed1.nt')).text()
    const answer = await repo.ask('/datasets/att', {
      method: 'PUT',
      type: 'text/turtle',
      body: `${lookalike} <> dct:type "x" .`,
    })
    expect([answer.status, answer.headers.get('Content-Location')]).toEqual([
      204,
      `${base}set/data/att`,
    ])
    expect(await (await repo.ask('/datasets/seed1.nt')).text()).toBe(seed)
    const ids = (await (
      await repo.ask('/catalogues/other/datasets?valueType=originalIds')
    ).json()) as string[]
    expect(ids.filter((id) => id === 'seed1')).toHaveLength(1)
  })
})

describe('ids that are long', () => {
  it('stay ids when two of them clash', async () => {
    const ids = ['a', 'A'].map((letter) => letter.repeat(255))
    const body = `${prefixes}<> a dcat:Dataset ; dct:title "Long" .`
    const answers = [
      await repo.putDataset('other', ids[0]!, body),
      await repo.putDataset('other', ids[1]!, body),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect((await repo.putDataset('other', ids[1]!, body)).status).toBe(304)
  })
})

describe('distributions', () => {
  it('that a sample link leads to are deleted with that link', async () => {
    const body = `${prefixes}@prefix adms: <http://www.w3.org/ns/adms#> .
<> a dcat:Dataset ; adms:sample <a:b> . <a:b> a dcat:Distribution ; dct:title "Sample" .`
    await repo.putDataset('other', 'with-sample', body)
    const text = await (await repo.ask('/datasets/with-sample.ttl')).text()
    const id = /distribution\/([0-9a-f-]{36})/.exec(text)?.[1] ?? ''
    expect((await repo.ask(`/distributions/${id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await (await repo.ask('/datasets/with-sample.ttl')).text()).not.toContain(id)
    expect((await repo.ask(`/distributions/${id}`)).status).toBe(404)
  })

  it('that only a sample link leads to survive GET, edit and PUT', async () => {
    const body = `${prefixes}@prefix adms: <http://www.w3.org/ns/adms#> .
<> a dcat:Dataset ; adms:sample <a:sample> . <a:sample> a dcat:Distribution ; dct:title "Sample" .`
    await repo.putDataset('other', 'sampled', body)
    const text = await (await repo.ask('/datasets/sampled.ttl')).text()
    const back = await repo.putDataset(
      'other',
      'sampled',
      text.replace('"Sample"', '"Better sample"'),
    )
    expect(back.status).toBe(204)
    const again = await (await repo.ask('/datasets/sampled.ttl')).text()
    expect(again).toContain('"Better sample"')
    expect(/distribution\/[0-9a-f-]{36}/.exec(again)?.[0]).toBe(
      /distribution\/[0-9a-f-]{36}/.exec(text)?.[0],
    )
  })

  it('by the thousand are matched in linear time: each keeps its IRI', async () => {
    const many = (label: string) => `${prefixes}<> a dcat:Dataset .
${Array.from({ length: 3000 }, (_, n) => `<> dcat:distribution <a:d${n}> . <a:d${n}> a dcat:Distribution ; dct:title "${label} ${n}" .`).join('\n')}`
    await repo.putDataset('other', 'many', many('One'))
    const before = await distributions('many')
    expect((await repo.putDataset('other', 'many', many('Two'))).status).toBe(204)
    expect(await distributions('many')).toEqual(before)
  })
})

describe('an unchanged PUT', () => {
  it('does not say that the index is done while it is not', async () => {
    const slow = await repository({ index: 'pending' })
    await slow.putCatalogue('c')
    const body = `${prefixes}<> a dcat:Dataset ; dct:title "x" .`
    const answers = [
      await slow.putDataset('c', 'x', body, { headers: { Prefer: 'wait=0' } }),
      await slow.putDataset('c', 'x', body),
    ]
    expect(answers.map((answer) => [answer.status, answer.headers.get('Index-Status')])).toEqual([
      [201, 'pending'],
      [304, 'pending'],
    ])
    await slow.close()
  })
})
