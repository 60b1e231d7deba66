/** Reports as tables for programs: CSV and JSON. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indicators } from '../../../src/metrics/indicators.ts'
import {
  aggregateOf,
  catalogueOf,
  datasetOf,
  figuresOf,
  hosts,
  rules,
  shares,
} from './figures-double.ts'
import { asked, textOf } from './report-apps.ts'

/** A reader of RFC 4180 that knows nothing of our writer. */
function parsed(text: string): string[][] {
  const rows: string[][] = [['']]
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const row = rows.at(-1)!
    const char = text[at]!
    if (quoted) {
      if (char !== '"') row[row.length - 1] += char
      else if (text[at + 1] === '"') {
        row[row.length - 1] += char
        at++
      } else quoted = false
    } else if (char === '"' && row.at(-1) === '') quoted = true
    else if (char === ',') row.push('')
    else if (char === '\r' && text[at + 1] === '\n') {
      rows.push([''])
      at++
    } else row[row.length - 1] += char
  }
  expect(rows.pop()).toEqual([''])
  return rows
}

const rowsOf = async (path: string, figures = figuresOf()) => parsed(await textOf(path, figures))

describe('CSV', () => {
  it('is one table with a head, a figure a row', async () => {
    const [head, ...rows] = await rowsOf('/catalogues/city.csv')
    expect(head).toEqual(['section', 'id', 'title', 'figure', 'value', 'rule'])
    expect(rows.every((row) => row.length === 6)).toBe(true)
    const value = (...key: string[]) =>
      rows.find((row) => key.every((part, at) => part === '*' || row[at] === part))?.[4]
    expect(value('report', 'city', 'City of Example', 'refreshed')).toBe('2026-11-22T04:30:00.000Z')
    expect(value('score', '*', '*', 'points')).toBe('287')
    expect(value('score', '*', '*', 'band')).toBe('goodScoring')
    expect(value('dimension', 'interoperability', '*', 'max')).toBe('110')
    expect(value('history', '2025-01-31', '*', 'score')).toBe('212')
    expect(value('indicator', 'temporalAvailability', '*', 'yes')).toBe('31.4')
    expect(value('indicator', 'temporalAvailability', '*', 'missing')).toBe('13.7')
    expect(value('indicator', 'accessUrlStatusCode', '*', 'status 1100')).toBe('1.9')
    expect(value('host', 'wms.example.net', '*', 'urls')).toBe('12')
    expect(value('worst dataset', 'low-40', 'Dataset low-40', 'score')).toBe('40')
    expect(value('best dataset', 'top-0', '*', 'interoperability')).toBe('110')
  })

  it('has every indicator with its rule', async () => {
    const rows = await rowsOf('/portal.csv')
    for (const { name } of indicators) {
      const row = rows.find(([section, id]) => section === 'indicator' && id === name)
      expect(row?.[5]).toMatch(/\.$/)
    }
  })

  it('what was not measured is empty', async () => {
    const rows = await rowsOf('/portal.csv', figuresOf({ metrics: { dcatApCompliance: null } }))
    const found = rows.find(([, id, , figure]) => id === 'dcatApCompliance' && figure === 'missing')
    expect(found?.[4]).toBe('')
  })

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '  =1', '\u{feff}=1', '＝1+1', '\u{2003}@x'])(
    'a title that begins as a formula is text: %j',
    async (title) => {
      const worst = [datasetOf('x', 1, { en: title })]
      const rows = await rowsOf('/portal.csv', figuresOf({ worst }))
      expect(rows.find(([section]) => section === 'worst dataset')?.[2]).toMatch(/^'/)
    },
  )

  it('no text of others ever begins a cell with a sign, breaks a row or is changed otherwise', async () => {
    const text = fc.string({ unit: fc.constantFrom(...'=+-@"\',;\r\n\t\0 aß<水'.split('')) })
    await fc.assert(
      fc.asyncProperty(text, async (title) => {
        const figures = figuresOf({
          catalogues: [catalogueOf('city', { en: title })],
          worst: [datasetOf('x', 1, { en: title })],
          rules: [{ ...rules[0]!, path: title, messages: { en: title } }],
        })
        const rows = await rowsOf('/catalogues/city.csv', figures)
        expect(rows.filter((row) => row.length !== 6)).toEqual([])
        expect(rows.flat().filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([])
        const plain = title.replace(/[\s\0]+/g, ' ').trim()
        const told = rows.find(([section]) => section === 'worst dataset')?.[2] ?? ''
        const expected = plain === '' ? 'x' : plain
        expect([expected, `'${expected}`]).toContain(told)
      }),
      { numRuns: 100 },
    )
  })
})

describe('JSON', () => {
  it('has the same figures as plain values', async () => {
    const report = JSON.parse(await textOf('/catalogues/city.json')) as Record<string, never>
    expect(report).toMatchObject({
      report: 'catalogue',
      id: 'city',
      title: 'City of Example',
      refresh: 7,
      refreshed: '2026-11-22T04:30:00.000Z',
      most: 405,
      measured: {
        score: 287,
        band: 'goodScoring',
        all: 1250,
        datasets: 1204,
        byBand: [
          { band: 'badScoring', datasets: 51 },
          { band: 'sufficientScoring', datasets: 301 },
          { band: 'goodScoring', datasets: 640 },
          { band: 'excellentScoring', datasets: 212 },
        ],
        dimensions: { findability: { points: 74, percentage: 73.7, max: 100 } },
        worst: [
          { id: 'low-40', title: 'Dataset low-40', score: 40, band: 'badScoring' },
          {},
          {},
          {},
          {},
        ],
      },
    })
    const { measured } = report as unknown as {
      measured: { indicators: object[]; worstIndicators: string[]; history: object[] }
    }
    expect(measured.indicators).toHaveLength(23)
    expect(measured.indicators[3]).toEqual({
      name: 'temporalAvailability',
      title: 'Period',
      rule: 'The dataset names the time that it is about (dct:temporal).',
      dimension: 'findability',
      points: 20,
      yes: 31.4,
      missing: 13.7,
    })
    expect(measured.worstIndicators[0]).toBe('temporalAvailability')
    expect(measured.history.at(-1)).toMatchObject({ day: '2025-12-31', score: 287 })
  })

  it('shows the top of each list and no more', async () => {
    const figures = figuresOf({
      worst: Array.from({ length: 500 }, (_, n) => datasetOf(`d${n}`, 100)),
      rules: Array.from({ length: 500 }, () => rules[0]!),
      hosts: Array.from({ length: 500 }, () => hosts[0]!),
      history: Array.from({ length: 400 }, (_, n) => ({
        day: new Date(Date.UTC(1990, n, 28)).toISOString().slice(0, 10),
        aggregate: aggregateOf(n),
      })),
    })
    const { measured } = JSON.parse(await textOf('/catalogues/city.json', figures)) as {
      measured: Record<string, unknown[]>
    }
    const lists = ['worst', 'violations', 'hosts', 'history', 'worstIndicators'] as const
    expect(lists.map((name) => measured[name]?.length)).toEqual([10, 15, 15, 240, 6])
  })

  it('has the worst indicators first, and none that was not measured', async () => {
    const metrics = { ...shares, dcatApCompliance: null, spatialAvailability: null }
    const worstIn = async (some: typeof shares) => {
      const text = await textOf('/catalogues/city.json', figuresOf({ metrics: some }))
      return (JSON.parse(text) as { measured: { worstIndicators: string[] } }).measured
        .worstIndicators
    }
    expect(await worstIn(shares)).toEqual([
      'temporalAvailability',
      'dcatApCompliance',
      'formatMediaTypeVocabularyAlignment',
      'rightsAvailability',
      'accessUrlStatusCode',
      'formatMediaTypeNonProprietary',
    ])
    expect(await worstIn(metrics)).not.toContain('dcatApCompliance')
  })

  it('has titles and messages in the language that is asked for, with the tags of others', async () => {
    const report = JSON.parse(await textOf('/catalogues/city.json?locale=de')) as object
    expect(report).toMatchObject({
      title: 'Stadt Beispiel',
      titleLanguage: 'de',
      measured: {
        violations: [
          { message: 'Der Wert ist keine IRI.', messageLanguage: 'de' },
          { message: 'At least one value is needed.', messageLanguage: 'en' },
          { message: '' },
        ],
      },
    })
  })

  it.each(['csv', 'json'])('does not follow Accept-Language: %s', async (form) => {
    const [german, any] = await Promise.all(
      ['de', 'en'].map((language) =>
        asked(`/catalogues/city.${form}`, { headers: { 'Accept-Language': language } }),
      ),
    )
    expect(await german?.text()).toBe(await any?.text())
    expect(german?.headers.get('Vary') ?? '').not.toContain('Accept-Language')
  })

  it.each([
    [405, 'excellentScoring'],
    [351, 'excellentScoring'],
    [350, 'goodScoring'],
    [121, 'sufficientScoring'],
    [120, 'badScoring'],
    [0, 'badScoring'],
  ])('%i points are in the band %s', async (score, band) => {
    const text = await textOf('/catalogues/city.json', figuresOf({ score }))
    expect(JSON.parse(text)).toMatchObject({ measured: { score, band } })
  })

  it('says null where nothing was measured', async () => {
    const report = JSON.parse(await textOf('/portal.json', figuresOf({ unmeasured: true })))
    expect(report).toMatchObject({ report: 'portal', id: null, measured: null })
  })
})
