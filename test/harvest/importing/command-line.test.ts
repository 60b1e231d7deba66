/** The command's words: arguments, formats, the line on the terminal, the account at the end. */

import { describe, expect, it } from 'vitest'
import { WrongUsage } from '../../../src/errors.ts'
import { parseImportArguments } from '../../../src/harvest/importing/arguments.ts'
import { lineOf, progressLine } from '../../../src/harvest/importing/report.ts'
import { formatCalled } from '../../../src/harvest/importing/source.ts'
import { report, Tally } from '../../../src/harvest/importing/report.ts'

describe('the arguments', () => {
  it('takes a key that begins with a hyphen, as generated ones may', () => {
    expect(parseImportArguments(['--key', '-_k', 'a.nt'])).toMatchObject({
      key: '-_k',
      place: 'a.nt',
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
      place: 'a.nt',
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
    expect(formatCalled(name)).toBe(format)
  })
})

describe('the line on the terminal', () => {
  it('shows how much, how fast and how long', () => {
    expect(lineOf({ phase: 'sending', done: 500, total: 2000 }, 10)).toBe(
      'sending █████░░░░░░░░░░░░░░░ 25 % 500 of 2000 (50 datasets/s, 30 s to go)',
    )
    expect(lineOf({ phase: 'reading', done: 5e6, total: undefined }, 2)).toBe(
      'reading 5.0 MB (2.5 MB/s)',
    )
    expect(lineOf({ phase: 'sending', done: 0, total: 0 }, 0)).toBe('sending 0 (0 datasets/s)')
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
  it('counts, and names what was repaired and what was lost', () => {
    const tally = new Tally()
    tally.catalogue('c1', 'created')
    tally.count('created')
    tally.count('unchanged')
    tally.repair({ kind: 'iri', from: 'a b', to: 'a%20b', line: 4 })
    tally.repair({ kind: 'language', from: 'x_y' })
    tally.lose({ dataset: 'd1', reason: 'missing-class: no dataset' })
    expect(report(tally.close({ total: 3, seconds: 2 }))).toBe(`catalogue c1: created
1 created, 0 updated, 1 unchanged, 1 failed (2.0 s, 2 datasets/s)
2 repaired while reading:
  line 4: iri "a b" → a%20b
  language "x_y" left out
failed: d1: missing-class: no dataset
`)
  })

  it('keeps to a thousand losses and ten repairs, and says how many more there were', () => {
    const tally = new Tally()
    for (let n = 0; n < 1005; n += 1) tally.lose({ dataset: `d${n}`, reason: 'x' })
    for (let n = 0; n < 12; n += 1) tally.repair({ kind: 'iri', from: ' ', to: '%20' })
    const summary = tally.close({ total: 2000, seconds: 1, ended: 'interrupted' })
    expect(summary.losses).toHaveLength(1000)
    const lines = report(summary).split('\n')
    expect(lines).toContain('  and 5 more')
    expect(lines).toContain('  and 2 more')
    expect(lines).toContain('stopped: interrupted')
    expect(summary.unsent).toBe(995)
  })
})
