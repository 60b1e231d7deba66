/** The command's words: arguments, formats, the line on the terminal, the account at the end. */

import { describe, expect, it } from 'vitest'
import { WrongUsage } from '../../../src/errors.ts'
import {
  parseImportArguments,
  progressLine,
  progressText,
  summaryText,
} from '../../../src/harvest/importing/command-line.ts'
import { formatByName } from '../../../src/rdf/media-types.ts'

describe('the arguments', () => {
  it('takes a key that begins with a hyphen, as generated ones may', () => {
    expect(parseImportArguments(['--key', '-_k', 'a.nt'])).toMatchObject({
      key: '-_k',
      location: 'a.nt',
    })
  })

  it('name a document and where it goes', () => {
    expect(
      parseImportArguments([
        'a.nt',
        '--catalogue',
        'c1',
        '--key',
        'k',
        '--server',
        'https://x.example/',
      ]),
    ).toEqual({
      location: 'a.nt',
      catalogue: 'c1',
      key: 'k',
      updateCatalogue: false,
      service: 'https://x.example/api/hub/repo',
    })
  })

  it('take a server with a path as the service itself', () => {
    expect(parseImportArguments(['-', '--server', 'http://localhost:8081/repo/']).service).toBe(
      'http://localhost:8081/repo',
    )
  })

  it.each([
    [[], 'which document'],
    [['a', 'b'], 'one document'],
    [['a', '--colour', 'red'], '--colour'],
    [['a', '--catalogue', 'no blanks'], '--catalogue'],
    [['a', '--base', 'relative'], '--base'],
    [['a', '--server', 'localhost'], '--server'],
    [['a', '--key'], '--key'],
  ])('%j are refused with the name of what is wrong', (words, named) => {
    expect(() => parseImportArguments(words)).toThrow(WrongUsage)
    expect(() => parseImportArguments(words)).toThrow(named)
  })

  it.each([
    ['nt', 'ntriples'],
    ['ntriples', 'ntriples'],
    ['text/turtle; charset=utf-8', 'turtle'],
    ['application/json; charset=utf-8', 'jsonld'],
    ['xml', 'rdfxml'],
    ['text/csv', undefined],
    ['toString', undefined],
  ])('the format %s is %s', (name, format) => {
    expect(formatByName(name)).toBe(format)
  })
})

describe('the line on the terminal', () => {
  it('shows how much of how much', () => {
    expect(progressText({ phase: 'sending', done: 500, total: 2000 })).toBe(
      'sending 25 % of 2000 datasets',
    )
    expect(progressText({ phase: 'reading', done: 5e6, total: undefined })).toBe('reading 5.0 MB')
    expect(progressText({ phase: 'sending', done: 0, total: 0 })).toBe('sending 0 datasets')
  })

  it('is drawn five times a second at most, and not at all where nobody watches', () => {
    const drawn: string[] = []
    let now = 0
    const draw = (isTTY: boolean) => progressLine({ isTTY, write: (t) => drawn.push(t) }, () => now)
    const silent = draw(false)
    silent.show({ phase: 'reading', done: 1, total: 2 })
    silent.clear()
    expect(drawn).toEqual([])
    const line = draw(true)
    for (now = 0; now < 1000; now += 10) line.show({ phase: 'sending', done: now, total: 1000 })
    expect(drawn).toHaveLength(5)
    line.clear()
    expect(drawn.at(-1)).toBe('\r\u001b[K')
  })
})

describe('the account at the end', () => {
  const summary = {
    created: 1,
    updated: 0,
    unchanged: 1,
    failed: 1,
    unsent: 0,
    repaired: 2,
    repairs: [
      { kind: 'iri', from: 'a b', to: 'a%20b', line: 4 },
      { kind: 'language', from: 'x_y' },
    ] as const,
    failures: [{ dataset: 'd1', reason: 'missing-class: no dataset' }],
    catalogues: [{ id: 'c1', outcome: 'created' as const }],
    seconds: 2,
    endReason: undefined,
  }

  it('counts, and names what was repaired and what was lost', () => {
    expect(summaryText({ ...summary, repairs: [...summary.repairs] })).toBe(`catalogue c1: created
1 created, 0 updated, 1 unchanged, 1 failed (2.0 s, 2 datasets/s)
2 repaired while reading:
  line 4: iri "a b" → a%20b
  language "x_y" left out
failed: d1: missing-class: no dataset
`)
  })

  it('says how many more losses and repairs there were than it lists, and why it ended early', () => {
    const more = { failed: 6, repaired: 4, unsent: 995, endReason: 'interrupted' }
    const lines = summaryText({ ...summary, repairs: [...summary.repairs], ...more }).split('\n')
    expect(lines).toContain('  and 5 more')
    expect(lines).toContain('  and 2 more')
    expect(lines).toContain('stopped: interrupted')
    expect(lines[1]).toContain('995 not sent')
  })
})
