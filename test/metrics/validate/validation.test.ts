/** Validation in worker threads. */

import { afterEach, describe, expect, it } from 'vitest'
import type { Failure } from '../../../src/errors.ts'
import type { Validation } from '../../../src/metrics/validate/validation.ts'
import { endless, endlessTitle, never, opened, sound, turtle, untitled } from './builders.ts'

const running: Validation[] = []
const open = async (...given: Parameters<typeof opened>) => {
  const validation = await opened(...given)
  running.push(validation)
  return validation
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((validation) => validation.stop()))
})

const failing = (kind: Failure['kind']) => expect.objectContaining<Partial<Failure>>({ kind })
const level1 = ['dcatap301level1']

describe('validation', () => {
  it('reports results with focus node, path, message, severity and component', async () => {
    const validation = await open()
    expect(await validation.validate(await turtle(sound), level1, never)).toEqual({
      conforms: true,
      results: [],
      truncated: false,
    })
    const { conforms, results } = await validation.validate(await turtle(untitled), level1, never)
    expect(conforms).toBe(false)
    expect(results).toEqual([
      {
        focusNode: expect.objectContaining({ value: 'https://example.org/d' }),
        path: expect.objectContaining({ value: 'http://purl.org/dc/terms/title' }),
        messages: [
          expect.objectContaining({ value: 'A title is needed, as text.', language: 'en' }),
        ],
        severity: 'Violation',
        component: 'http://www.w3.org/ns/shacl#MinCountConstraintComponent',
      },
    ])
  })

  it('names a format and a media type that are given as text, beside the same as IRIs', async () => {
    const validation = await open()
    const distributed = (given: string) =>
      turtle(
        `${sound} :d dcat:distribution :x . :x a dcat:Distribution ; dcat:accessURL :f ; ${given} .`,
      )
    const text = await distributed('dct:format "csv" ; dcat:mediaType "text/csv"')
    const iris = await distributed('dct:format :csv ; dcat:mediaType :text-csv')
    const named = async (record: Awaited<typeof text>) => {
      const { results } = await validation.validate(record, level1, never)
      return results.map(({ value, component }) => [value?.value, component.split('#')[1]])
    }
    const component = 'NodeKindConstraintComponent'
    expect(new Set(await named(text))).toEqual(
      new Set([
        ['csv', component],
        ['text/csv', component],
      ]),
    )
    expect(await named(iris)).toEqual([])
  })

  it('gives values and paths back as the terms that they were', async () => {
    const validation = await open({
      house: `:S a sh:NodeShape ; sh:targetClass :T ;
        sh:property [ sh:path [ sh:inversePath :in ] ; sh:nodeKind sh:Literal ] ,
          [ sh:path :p ; sh:in ( 1 ) ] .`,
    })
    const record = await turtle('_:b a :T ; :p "x"@en , "2"^^xsd:date , _:b . :a :in _:b .')
    const { results } = await validation.validate(record, ['house'], never)
    const told = results.map(({ focusNode, value, path }) => [
      focusNode?.termType,
      value?.termType === 'Literal'
        ? [value.value, value.language, value.datatype.value]
        : value?.value,
      path && 'termType' in path ? path.value : path?.map(({ predicate }) => predicate.value),
    ])
    const label = record[0]?.subject.value
    const p = 'https://example.org/p'
    expect(told).toEqual(
      expect.arrayContaining([
        ['BlankNode', 'https://example.org/a', ['http://www.w3.org/ns/shacl#inversePath']],
        ['BlankNode', ['x', 'en', 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString'], p],
        ['BlankNode', ['2', '', 'http://www.w3.org/2001/XMLSchema#date'], p],
        ['BlankNode', label, p],
      ]),
    )
  })

  it('does not look at the record that the catalogue keeps', async () => {
    const validation = await open()
    const record = `${sound} :r a dcat:CatalogRecord ; :topic :d ;
      spdx:checksum [ a spdx:Checksum ; spdx:checksumValue "plain" ] .`
    const models = ['dcatap301level1', 'dcatap211level1']
    for (const model of models) {
      const { conforms } = await validation.validate(await turtle(record), [model], never)
      expect(conforms).toBe(true)
    }
  })

  it('knows the concepts of the shipped vocabularies', async () => {
    const validation = await open()
    const language = (iri: string) => turtle(`${sound} :d dct:language <${iri}> .`)
    const authority = 'http://publications.europa.eu/resource/authority/language'
    const violations = async (iri: string, model: string) => {
      const { results } = await validation.validate(await language(iri), [model], never)
      return results.filter(({ severity }) => severity === 'Violation').length
    }
    expect(await violations(`${authority}/DEU`, 'dcatap301level3')).toBe(0)
    expect(await violations(`${authority}/QQQ`, 'dcatap301level3')).toBe(1)
    expect(await violations(`${authority}/QQQ`, 'customized=vocabularies')).toBe(1)
    expect(await violations(`${authority}/QQQ`, 'customized=recommended')).toBe(0)
  })

  it('conforms to several models when it conforms to one, and else reports the first', async () => {
    const validation = await open({
      strict:
        ':S a sh:NodeShape ; sh:targetClass dcat:Dataset ; sh:property [ sh:path :p ; sh:minCount 1 ] .',
    })
    const count = async (text: string, models: readonly string[]) => {
      const { results } = await validation.validate(await turtle(text), models, never)
      return results.length
    }
    expect(await count(sound, ['strict', 'dcatap301level1'])).toBe(0)
    expect(await count(sound, ['strict'])).toBe(1)
    expect(await count('[] a dcat:Dataset .', ['dcatap301level1', 'strict'])).toBe(2)
  })

  it('refuses a model that does not exist', async () => {
    const validation = await open()
    const attempt = validation.validate(await turtle(sound), ['dcatap17'], never)
    await expect(attempt).rejects.toEqual(failing('invalid-parameter'))
  })

  it('goes on without shapes that cannot be used, and says which', async () => {
    const validation = await open({
      broken: ':S a sh:NodeShape ; sh:targetClass [',
      // It can be read; that the path makes no sense is seen by the engine.
      senseless: ':S sh:targetNode :x ; sh:property [ sh:path "p" ; sh:minCount 1 ] .',
      unending: ':S sh:targetNode :x ; sh:node :S .',
    })
    expect(validation.models()).toEqual(expect.arrayContaining(['broken', 'senseless', ...level1]))
    expect(validation.problems().toSorted()).toEqual([
      expect.stringMatching(/^shape model broken: .*broken\.ttl: .*line \d+/),
      expect.stringMatching(/^shape model senseless: .*path/),
      expect.stringMatching(/^shape model unending: .*call stack/),
    ])
    const record = await turtle(sound)
    for (const model of ['broken', 'senseless', 'unending']) {
      const attempt = validation.validate(record, [model], never)
      await expect(attempt).rejects.toEqual(failing('internal'))
    }
    const { conforms } = await validation.validate(record, ['broken', ...level1], never)
    expect(conforms).toBe(true)
  })

  it('ends a worker that takes too long, and does the next record in another', async () => {
    const validation = await open({ endless }, { limits: { recordMs: 2000 } })
    const slow = validation.validate(await turtle(endlessTitle), ['endless'], never)
    const next = validation.validate(await turtle(sound), level1, never)
    await expect(slow).rejects.toEqual(failing('time-limit'))
    expect((await next).conforms).toBe(true)
  }, 30_000)

  it('refuses a record that would not fit into a worker', async () => {
    const validation = await open({}, { limits: { length: 100 } })
    const attempt = validation.validate(await turtle(sound), level1, never)
    await expect(attempt).rejects.toEqual(failing('too-complex'))
  })

  it('bounds a record of twenty thousand violations', async () => {
    const validation = await open()
    const values = Array.from({ length: 20_000 }, (_, n) => `"${n}"`).join(' , ')
    const nodes = Array.from({ length: 20_000 }, (_, n) => `:x${n} a dcat:Distribution .`).join(
      '\n',
    )
    for (const record of [`${sound} :d dct:language ${values} .`, `${sound} ${nodes}`]) {
      const report = await validation.validate(await turtle(record), level1, never)
      expect([report.results.length, report.truncated]).toEqual([1000, true])
    }
  }, 60_000)

  it('lets go of who does not wait any more, and refuses when too many wait', async () => {
    const validation = await open({ endless }, { limits: { recordMs: 2000, waiting: 2 } })
    const leaving = new AbortController()
    const slow = await turtle(endlessTitle)
    const all = Array.from({ length: 3 }, () =>
      validation.validate(slow, ['endless'], leaving.signal),
    )
    const queued = validation.validate(slow, ['endless'], never)
    await expect(queued).rejects.toEqual(failing('queue-full'))
    leaving.abort(new Error('gone'))
    for (const one of all) await expect(one).rejects.toThrow('gone')
    await expect(validation.validate(slow, ['endless'], leaving.signal)).rejects.toThrow('gone')
  }, 30_000)

  it('starts workers when there is work, ends them when there is none, and starts others', async () => {
    const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort')
    const before = threads().length
    const validation = await open({}, { limits: { idleMs: 400 } })
    expect(threads()).toHaveLength(before)
    await validation.validate(await turtle(sound), level1, never)
    const until = performance.now() + 20_000
    const ended = async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      setTimeout(resolve, 50)
      await promise
      return threads().length <= before
    }
    while (!(await ended())) expect(performance.now()).toBeLessThan(until)
    expect((await validation.validate(await turtle(untitled), level1, never)).conforms).toBe(false)
  }, 30_000)

  it('tells everybody who waits when it is stopped', async () => {
    const validation = await open({ endless })
    const record = await turtle(endlessTitle)
    const waiting = [1, 2, 3].map(() => validation.validate(record, ['endless'], never))
    const settled = Promise.allSettled(waiting)
    await validation.stop()
    const outcomes = await settled
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await expect(validation.validate(record, level1, never)).rejects.toEqual(failing('queue-full'))
  })
})
