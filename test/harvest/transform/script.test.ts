/** `transforming-js`: what a script is given, what it may give, and what comes of it. */

import { describe, expect, it } from 'vitest'
import { scriptTransformer } from '../../../src/harvest/transform/script.ts'
import type { Message } from '../../../src/pipe/message.ts'
import {
  dataset,
  end,
  jsonRecord,
  problemsOf,
  record,
  runTransformer,
  triplesOf,
} from './run-transformer.ts'
import type { TransformerRunOptions } from './run-transformer.ts'

const run = (script: string, setting: TransformerRunOptions = {}, more: object = {}) =>
  runTransformer(scriptTransformer, { script, ...more }, setting)

const title = (text: string) => `<http://purl.org/dc/terms/title> "${text}"`

describe('what a script is given', () => {
  it('is RDF as expanded JSON-LD, the dataset first', async () => {
    const script =
      'function transforming(input) { console.log(JSON.stringify(input)); return input }'
    const { log, texts } = await run(script, { input: [record(1), end] })
    expect(JSON.parse(String(log[0]?.['line']))).toEqual([
      {
        '@id': dataset(1),
        '@type': ['http://www.w3.org/ns/dcat#Dataset'],
        'http://purl.org/dc/terms/title': [{ '@value': 'Trees 1', '@language': 'en' }],
        'http://www.w3.org/ns/dcat#contactPoint': [{ '@id': expect.stringMatching(/^_:/) }],
      },
      {
        '@id': expect.stringMatching(/^_:/),
        'http://www.w3.org/2006/vcard/ns#fn': [{ '@value': 'Office' }],
      },
    ])
    expect(texts[0]?.split('\n')).toHaveLength(triplesOf(1).split('\n').length)
  })

  it('is JSON of the source as the source sent it', async () => {
    const script = `const transforming = (input) => ({
      '@id': 'https://city.example/' + input.name,
      'http://purl.org/dc/terms/title': input.title.toUpperCase(),
    })`
    const { texts } = await run(script, {
      input: [jsonRecord(1, { name: 'a', title: 'Ähren' }), end],
    })
    expect(texts).toEqual([`<https://city.example/a> ${title('ÄHREN')} .\n`])
  })

  it.each([
    ['an object', { keyword: 'water' }],
    ['JSON in a string', '{"keyword":"water"}'],
  ])('comes with params from %s', async (_, params) => {
    const script = `function transforming(input) {
      return { '@id': input.id, 'http://purl.org/dc/terms/title': params.keyword }
    }`
    const input = [jsonRecord(1, { id: 'https://city.example/a' }), end]
    const { texts } = await run(script, { input }, { params })
    expect(texts[0]).toContain(title('water'))
  })

  it('keeps literals, tags and datatypes as they were', async () => {
    const text =
      '<https://a.example/> <http://p.example/p> "007"^^<http://www.w3.org/2001/XMLSchema#integer> .\n' +
      '<https://a.example/> <http://p.example/p> "Grüße"@de-CH .\n'
    const { texts } = await run('function transforming(x) { return x }', {
      input: [record(1, { text }), end],
    })
    expect(texts).toEqual([text])
  })
})

describe('what a script gives', () => {
  it('is JSON-LD as an object or as text, with a context that stands in it', async () => {
    const script = `function transforming(input) {
      const out = { '@context': { title: 'http://purl.org/dc/terms/title' }, '@id': input.id, title: 'T' }
      return input.text ? JSON.stringify(out) : out
    }`
    const id = 'https://city.example/a'
    const input = [jsonRecord(1, { id, text: true }), jsonRecord(2, { id, text: false }), end]
    const { texts } = await run(script, { input })
    expect(texts).toEqual([`<${id}> ${title('T')} .\n`, `<${id}> ${title('T')} .\n`])
  })

  it('must say something as JSON-LD, else that record fails and says why', async () => {
    const empty = 'transform-empty: the script gave nothing'
    const bad = 'transform-failed: the script did not return valid JSON-LD'
    const cases: [string, string][] = [
      ['undefined', empty],
      ['null', empty],
      ["''", empty],
      ['({ a: 1 })', 'transform-empty: the JSON-LD of the script contains no triples'],
      ["'<html>'", bad],
      ["({ '@context': 'http://169.254.169.254/', a: 1 })", bad],
      ['Promise.resolve({})', 'transform-failed: TypeError: transforming gives a promise'],
      ["'x'.repeat(300)", 'transform-failed: the script gave more than 200 bytes'],
      ["'ü'.repeat(150)", 'transform-failed: the script gave more than 200 bytes'],
    ]
    const input = [...cases.map(([code], n) => jsonRecord(n, { code })), end]
    const { problems, messages } = await run('const transforming = ({ code }) => eval(code)', {
      input,
      limits: { recordBytes: 200 },
    })
    expect(problems).toEqual(cases.map(([, problem]) => expect.stringContaining(problem)))
    expect(messages.at(-1)).toEqual(end)
  })
})

describe('a script that fails', () => {
  const script = `let seen = 0
function transforming(input) {
  seen += 1
  if (input.bad) throw new TypeError('no ' + input.bad)
  return { '@id': 'https://city.example/' + seen, 'http://purl.org/dc/terms/title': 'T' }
}`

  it('drops that record only, with the line, what the source sent and what was found in it', async () => {
    const finding = { slug: 'invalid-date', detail: 'dct:issued: yesterday' } as const
    const bad = { ...jsonRecord(2, { bad: 'licence' }), findings: [finding] }
    const input = [jsonRecord(1, {}), bad, jsonRecord(3, {}), end]
    const { messages, problems, texts, findings } = await run(script, { input })
    expect(findings).toEqual([finding])
    expect(problems).toEqual(['transform-failed: TypeError: no licence (line 4)'])
    expect(texts).toHaveLength(2)
    expect(messages[1]).toMatchObject({
      kind: 'refused',
      stage: 'transform',
      sourceId: 'id-2',
      sourceUrl: 'https://city.example/catalog.ttl',
      excerpt: '{"bad":"licence"}',
    })
  })

  it('ends the run when the first three records fail alike and none has succeeded', async () => {
    const bad = (n: number) => jsonRecord(n, { bad: 'title' })
    const { failure, messages } = await run(script, { input: [1, 2, 3, 4].map(bad) })
    expect(failure?.message).toBe(
      'transform-failed: the first 3 records failed for the same reason: TypeError: no title (line 4)',
    )
    expect(messages).toHaveLength(2)
  })

  it('does not end the run after one success, nor when the reasons differ', async () => {
    const bad = (n: number) => jsonRecord(n, { bad: 'title' })
    const first = await run(script, { input: [jsonRecord(1, {}), ...[2, 3, 4, 5].map(bad), end] })
    expect(first.problems).toHaveLength(4)
    const differing = ['a', 'b', 'c'].map((bad, index) => jsonRecord(index, { bad }))
    const second = await run(script, { input: [...differing, end] })
    expect([second.problems.length, second.failure]).toEqual([3, undefined])
  })

  it.each([
    ['does not parse', 'function transforming(input) {', 'SyntaxError'],
    ['defines no transforming', 'const a = 1', 'defines no function transforming'],
    ['throws before any record', 'params.a.b.c', 'TypeError'],
  ])('%s: the run is refused before a record is asked for', async (_, script, problem) => {
    const { failure, asked } = await run(script)
    expect(failure?.kind).toBe('invalid-pipe')
    expect(failure?.detail).toContain(problem)
    expect(asked).toBe(0)
  })
})

describe('the life of a script', () => {
  const counting = `let n = 0
function transforming(input) {
  n += 1
  return { '@id': input.id, 'http://purl.org/dc/terms/title': String(n) }
}`
  const id = 'https://city.example/a'
  const input = [jsonRecord(1, { id }), jsonRecord(2, { id }), end]

  it('begins anew with every record', async () => {
    const { texts } = await run(counting, { input })
    expect(texts.map((text) => /"(\d)"/.exec(text)?.[1])).toEqual(['1', '1'])
  })

  it('lasts for the run with single', async () => {
    const { texts } = await run(counting, { input }, { single: true })
    expect(texts.map((text) => /"(\d)"/.exec(text)?.[1])).toEqual(['1', '2'])
  })

  it('sees one time and the same dice, in every run of the pipe', async () => {
    const script = `function transforming() {
      const dice = [Math.random(), Math.random()]
      const days = [Date.now(), +new Date(), new Date().constructor.now(), Date.parse(Date())]
      console.log(JSON.stringify({ dice, days, other: +new Date(0), is: new Date() instanceof Date }))
    }`
    const said = async () => (await run(script)).log.map((line) => JSON.parse(String(line['line'])))
    const [first, second] = [await said(), await said()]
    const time = Date.UTC(2026, 0, 2, 3, 4, 5)
    expect(first[0].days).toEqual([time, time, time, time])
    expect(first[0]).toMatchObject({ other: 0, is: true })
    expect(first[0].dice[0]).not.toBe(first[0].dice[1])
    expect(first[1]).toEqual(first[0])
    expect(second).toEqual(first)
  })

  it('has a voice in the log of the run: 100 lines of 500 characters', async () => {
    const script = `function transforming() {
      for (let i = 0; i < 80; i += 1) console.log('x'.repeat(1000), { i })
    }`
    const { log } = await run(script)
    expect(log).toHaveLength(100)
    expect(log[0]).toMatchObject({ event: 'script.said', run: 'r1', pipe: 'p1' })
    expect(log.map((line) => String(line['line']).length)).toEqual(Array(100).fill(500))
  })
})

describe('messages', () => {
  it('that are no records pass untouched, and records of metrics', async () => {
    const others: Message[] = [
      { kind: 'total', total: 3 },
      { kind: 'skipped', sourceId: 'a', reason: 'private' },
      { kind: 'unchanged', sourceId: 'b', originalId: 'b' },
      { kind: 'deleted', sourceId: 'c' },
      { kind: 'page', cursor: 'k' },
      record(9, { extra: { content: 'metrics' } }),
      end,
    ]
    const { messages } = await run('function transforming() { throw 1 }', { input: others })
    expect(messages).toEqual(others)
  })

  it('keep everything but their text', async () => {
    const one = record(1, { originalId: 'o', aliases: ['a'], sourceHash: 'h', extra: { x: 1 } })
    const { messages } = await run('function transforming(x) { return x }', { input: [one, end] })
    expect(messages[0]).toEqual({ ...one, text: expect.any(String) })
  })

  it('end with the signal', async () => {
    const stop = new AbortController()
    const script = 'function transforming(x) { for (;;) {} }'
    const running = run(script, {
      signal: stop.signal,
      input: [end, record(1)],
      meanwhile: () => setTimeout(() => stop.abort(new Error('cancelled')), 50),
    })
    await expect(running).rejects.toThrow('cancelled')
  })
})

describe('a config', () => {
  it.each([
    [{}, 'script: must be the text of the script'],
    [{ scriptType: 'wasm', script: 'x' }, /^scriptType: /],
    [{ script: 'x', params: '{' }, 'params: must be an object or its JSON'],
    [{ script: 'x', single: 'yes' }, /^single: /],
    [{ scriptType: 'localFile' }, 'path: must be a file in scripts/'],
    [{ scriptType: 'repository' }, 'repository: must have uri and script'],
    [{ script: ' '.repeat(10) + 'x'.repeat(2 ** 20) }, 'script: has more than 1048576 bytes'],
  ])('%j is refused with its key', (config, problem) => {
    const problems = problemsOf(scriptTransformer, config)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(problem)
  })

  it('is described by a JSON Schema', () => {
    const { names, schema } = scriptTransformer({} as never)
    expect(names).toEqual(['transforming-js', 'transforming-javascript'])
    expect(schema()).toMatchObject({ type: 'object', properties: { script: { type: 'string' } } })
  })
})
