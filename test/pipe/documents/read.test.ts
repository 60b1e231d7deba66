/** Pipe files become pipes, or a list of what is wrong with them. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Pipe } from '../../../src/pipe/document.ts'
import { readPipe, validatePipe } from '../../../src/pipe/pipe-schema.ts'
import { harvestOf } from '../pipes.ts'

const read = (value: unknown) => readPipe(JSON.stringify(value), 'city.json')
const pipe = (value: unknown): Pipe => {
  const result = read(value)
  if ('problems' in result) throw new Error(JSON.stringify(result.problems))
  return result.pipe
}
const problems = (value: unknown) => {
  const result = read(value)
  return 'problems' in result
    ? result.problems.map(({ pointer, detail }) => `${pointer ?? ''} ${detail}`)
    : []
}
const city = harvestOf('city')
type Loose = Record<string, unknown>
/** The pipe with other members in its header, and in the header and body of its first segment. */
const changed = (header: Loose, segment: Loose = {}, body: Loose = {}) => {
  const [first, second] = city.body.segments
  const inner = { header: { ...first?.header, ...segment }, body: { ...first?.body, ...body } }
  return { header: { ...city.header, ...header }, body: { segments: [inner, second] } }
}

describe('a pipe', () => {
  it('is read from JSON and from YAML alike', () => {
    const yaml = `
header: { id: id-city, name: city, transport: payload, version: "2.0.0" }
body:
  segments:
    - header: { name: importing-rdf, segmentNumber: 1, processed: false }
      body: { config: { address: https://data.city.example/catalog.ttl, catalogue: city } }
    - header: { name: exporting-hub, segmentNumber: 2 }
`
    expect(readPipe(yaml, 'city.yaml')).toEqual({ pipe: city })
    expect(readPipe(yaml, 'city.yml')).toEqual({ pipe: city })
    expect(pipe(city)).toEqual(city)
  })

  it('may begin with a byte order mark', () => {
    expect(readPipe(`\uFEFF${JSON.stringify(city)}`, 'a.json')).toEqual({ pipe: city })
  })

  it('in YAML keeps no as text: Norway is no boolean', () => {
    const text = JSON.stringify(harvestOf('city', { language: '§' })).replace('"§"', 'no')
    const result = readPipe(text, 'a.yaml')
    expect(result).toMatchObject({
      pipe: { body: { segments: [{ body: { config: { language: 'no' } } }, {}] } },
    })
  })

  it('puts its segments in the order of their numbers, gaps allowed', () => {
    const [first, second] = city.body.segments
    const numbered = [
      { ...second, header: { ...second?.header, segmentNumber: 70 } },
      { ...first, header: { ...first?.header, segmentNumber: 0 } },
    ]
    const names = pipe({ ...city, body: { segments: numbered } }).body.segments.map(
      (one) => one.header.name,
    )
    expect(names).toEqual(['importing-rdf', 'exporting-hub'])
  })

  it('needs neither body, config nor processed in a segment', () => {
    for (const body of [
      undefined,
      null,
      {},
      { config: null },
      { config: {}, endpoint: null, payload: {} },
    ]) {
      const segments = [{ header: { name: 'x', segmentNumber: 1, processed: null }, body }]
      expect(pipe({ ...city, body: { segments } }).body.segments).toEqual([
        { header: { name: 'x', segmentNumber: 1, processed: false }, body: { config: {} } },
      ])
    }
  })

  it.each(['1.0.0', '2.0.0', '2.1', '1'])('may have version %s', (version) => {
    expect(pipe(changed({ version })).header.version).toBe(version)
  })

  it('may have an id that is no UUID', () => {
    expect(pipe(changed({ id: 'copy and paste' })).header.id).toBe('copy and paste')
  })

  it('keeps unknown keys at every level', () => {
    const value = { ...changed({ org: { id: 7 } }, { mine: [1] }, { more: true }), beside: 'x' }
    const kept = { ...value, body: { ...value.body, payloads: [] } }
    expect(pipe(kept)).toEqual(kept)
  })

  it('that is stored says nothing of a run: ids, times, payloads and progress are left out', () => {
    const payload = { header: { seqNumber: 1, dataType: 'text' }, body: { data: 'x' } }
    const run = { runId: 'r', startTime: '2026-01-01T00:00:00Z', lastRun: '2025-01-01T00:00:00Z' }
    const value = changed(run, { processed: true }, { payload })
    expect(pipe(value)).toEqual(city)
    expect(validatePipe(value as never)).toEqual({ pipe: value })
  })
})

describe('a pipe that somebody else has written down again', () => {
  it('may hold times as milliseconds since 1970', () => {
    const value = changed({ runId: 'r', startTime: 1_767_323_045_000, lastRun: 0 })
    expect(validatePipe(value as never)).toMatchObject({
      pipe: {
        header: { startTime: '2026-01-02T03:04:05.000Z', lastRun: '1970-01-01T00:00:00.000Z' },
      },
    })
  })

  it.each([9e15, true])('has no time %s', (startTime) => {
    expect(validatePipe(changed({ startTime }) as never)).toMatchObject({
      problems: [{ pointer: '/header/startTime' }],
    })
  })

  it('may lack whatever was empty: configs, numbers, texts', () => {
    const { header, body } = city
    const [first] = body.segments
    const bare = { header: first!.header, body: { payload: { body: {} } } }
    expect(validatePipe({ header, body: { segments: [bare] } })).toMatchObject({
      pipe: {
        body: {
          segments: [
            {
              body: {
                config: {},
                payload: { header: { seqNumber: 0, dataType: 'text' }, body: { data: '' } },
              },
            },
          ],
        },
      },
    })
  })
})

describe('what is wrong with a pipe', () => {
  it.each<[string, unknown, string]>([
    ['no object', [], ' must be an object with header and body'],
    [
      'no header',
      { body: city.body },
      '/header must be an object with id, name, transport and version',
    ],
    ['no body', { header: city.header }, '/body must be an object with segments'],
    [
      'no segment',
      { ...city, body: { segments: [] } },
      '/body/segments must hold at least one segment',
    ],
    [
      'no id',
      changed({ id: undefined }),
      '/header/id must be text of 1 to 200 characters, such as a UUID; put numbers in quotes',
    ],
    [
      'a number as id',
      changed({ id: 7 }),
      '/header/id must be text of 1 to 200 characters, such as a UUID; put numbers in quotes',
    ],
    ['no transport', changed({ transport: undefined }), '/header/transport must be "payload"'],
    ['another transport', changed({ transport: 'file' }), '/header/transport must be "payload"'],
    [
      'version 3',
      changed({ version: '3.0.0' }),
      '/header/version must be text with major version 1 or 2, such as "2.0.0"',
    ],
    [
      'version 20',
      changed({ version: '20.0' }),
      '/header/version must be text with major version 1 or 2, such as "2.0.0"',
    ],
    [
      'a title that is a list',
      changed({ title: ['x'] }),
      '/header/title must be text; put numbers in quotes',
    ],
    [
      'no number',
      changed({}, { segmentNumber: undefined }),
      '/body/segments/0/header/segmentNumber must be a whole number, 0 or more',
    ],
    [
      'half a number',
      changed({}, { segmentNumber: 0.5 }),
      '/body/segments/0/header/segmentNumber must be a whole number, 0 or more',
    ],
    [
      'a number below 0',
      changed({}, { segmentNumber: -1 }),
      '/body/segments/0/header/segmentNumber must be a whole number, 0 or more',
    ],
    [
      'a number used twice',
      changed({}, { segmentNumber: 2 }),
      '/body/segments/1/header/segmentNumber must be unique; segment 0 has 2 too',
    ],
    [
      'a config that is text',
      changed({}, {}, { config: 'x' }),
      '/body/segments/0/body/config must be an object',
    ],
    [
      'an endpoint without address',
      changed({}, {}, { endpoint: { method: 'POST' } }),
      '/body/segments/0/body/endpoint/address must be an address',
    ],
  ])('%s is told with its place', (_, value, told) => {
    expect(problems(value)).toEqual([told])
  })

  it.each(['', '.', '..', '../up', 'a/b', 'a\\b', 'a\nb', 'a\u0000', 'x'.repeat(201), '\u2028'])(
    '[T6] the name %j is told, for pipe and segment',
    (name) => {
      expect(problems(changed({ name }))).toHaveLength(1)
      expect(problems(changed({}, { name }))).toHaveLength(1)
    },
  )

  it('is told all at once, with the name of the pipe where it has one', () => {
    const result = read(changed({ transport: 'x', version: 9 }, { segmentNumber: 'one' }))
    expect(result).toMatchObject({ name: 'city' })
    expect('problems' in result && result.problems).toHaveLength(3)
  })

  it('tells line and column of broken JSON and YAML', () => {
    expect(readPipe('{\n  "header": x }', 'a.json')).toEqual({
      problems: [{ line: 2, column: 13, detail: 'is not valid JSON' }],
    })
    expect(readPipe('{"a": }', 'a.json')).toEqual({
      problems: [{ line: 1, column: 7, detail: 'is not valid JSON' }],
    })
    expect(readPipe('{ "header": ', 'a.json')).toMatchObject({ problems: [{ line: 1 }] })
    const first = (text: string) => {
      const result = readPipe(text, 'a.yaml')
      return 'problems' in result ? result.problems[0] : undefined
    }
    expect(first('header:\n  name: [a')).toMatchObject({ line: 2, column: expect.any(Number) })
    expect(first('a: 1\na: 2\n')).toMatchObject({ line: 2, column: 1 })
    expect(first('a: 1\n---\nb: 2\n')).toMatchObject({ line: 2 })
  })
})

describe('bounds', () => {
  it('a file over pipeBytes and a pipe over its segments are refused, naming the limit', () => {
    const limits = { pipeBytes: 100, segments: 1 }
    expect(readPipe('x'.repeat(101), 'a.yaml', limits)).toEqual({
      problems: [{ detail: 'must be at most 100 bytes (pipeBytes)' }],
    })
    expect(
      readPipe(JSON.stringify(city), 'a.json', { pipeBytes: 9999, segments: 1 }),
    ).toMatchObject({
      problems: [{ pointer: '/body/segments', detail: 'must hold at most 1 segments' }],
    })
  })

  it('[T12] an alias bomb ends as a problem', () => {
    const level = (n: number) =>
      `a${n}: &a${n} [${Array.from({ length: 9 }, () => `*a${n - 1}`).join(',')}]`
    const bomb = [
      'a0: &a0 [x,x,x,x,x,x,x,x,x]',
      ...Array.from({ length: 9 }, (_, n) => level(n + 1)),
    ]
    expect(readPipe(bomb.join('\n'), 'a.yaml')).toEqual({
      problems: [{ detail: 'repeats its aliases too often' }],
    })
  })

  it.each(['a.json', 'a.yaml'])('[T12] what is nested for ever ends as a problem (%s)', (name) => {
    const text = '['.repeat(20_000) + ']'.repeat(20_000)
    const result = readPipe(text, name)
    expect('problems' in result && result.problems.length).toBeGreaterThan(0)
    expect(readPipe(`${'['.repeat(66)}${']'.repeat(66)}`, name)).toEqual({
      problems: [{ detail: 'is nested deeper than 64 levels' }],
    })
  })

  it('numbers that JSON has no word for are refused', () => {
    expect(readPipe('header: .nan', 'a.yaml')).toEqual({
      problems: [{ detail: 'holds a number that is not finite' }],
    })
  })

  it('keys that would change every object are dropped', () => {
    const text = JSON.stringify(city).replace(
      '"config":{',
      '"config":{"__proto__":{"x":1},"constructor":1,',
    )
    for (const name of ['a.json', 'a.yaml']) expect(readPipe(text, name)).toEqual({ pipe: city })
  })

  it('no text throws, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.json()),
        fc.boolean(),
        (text, json) => {
          const result = readPipe(text, json ? 'a.json' : 'a.yaml')
          expect('problems' in result).toBe(true)
        },
      ),
    )
  })
})
