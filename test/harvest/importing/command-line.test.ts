/** Words of the import command: formats, and the account at the end. */

import { describe, expect, it } from 'vitest'
import { summaryText } from '../../../src/harvest/importing/command-line.ts'
import { formatByName } from '../../../src/rdf/media-types.ts'

describe('the format', () => {
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
