/** Texts of others stay texts. */

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clipped, line, localText } from '../../../src/metrics/localized-texts.ts'
import { catalogueReport, portalReport } from '../../../src/metrics/reports/report.ts'
import { addressesFrom, reportHtml, reportLook } from '../../../src/metrics/reports/report-page.ts'
import { catalogueOf, datasetOf, figuresOf, hosts, rules } from './figures-double.ts'
import { groundOf, textOf, wordsOf } from './ground.ts'

const nasty = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom(...`<>&"'\`/= ;{}\0\n\u{202e}\u{d800}a`.split('')) }),
  fc.constantFrom(
    '</title><script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    '</style><style>*{display:none}</style>',
    '<!--',
    ']]>',
    '&lt;script&gt;',
    '{{7*7}}${7*7}',
    '</svg><desc>',
  ),
)

/** Every text that somebody else may have written. */
const figuresWith = (text: string) =>
  figuresOf({
    catalogues: [{ ...catalogueOf('city', { en: text }), descriptions: { en: text } }],
    worst: [
      { ...datasetOf('x', 1, { en: text }), catalogue: text, iri: `https://example.org/${text}` },
    ],
    best: [{ ...datasetOf('x', 400, { en: text }), catalogue: text }],
    rules: [{ ...rules[0]!, messages: { en: text }, path: text, component: text }],
    hosts: [{ ...hosts[0]!, host: text }],
  })

/** The page of the portal and that of a catalogue. */
function pagesWith(text: string): string[] {
  const figures = figuresWith(text)
  const ground = groundOf(figures)
  const wish = { locale: 'en', order: 'best', page: { offset: 0, limit: 50 } } as const
  const at = (own: string) => addressesFrom(`http://localhost${own}`, { own, locale: 'en' })
  const look = reportLook({})
  return [
    reportHtml(portalReport(ground, wish), at('/portal'), look),
    reportHtml(
      catalogueReport(ground, figures.catalogue('city')!, wish),
      at('/catalogues/city'),
      look,
    ),
  ].map(plain)
}

/** Nothing in a page has to be waited for. */
function plain(page: ReturnType<typeof reportHtml>): string {
  if (page instanceof Promise) throw new Error('a part of the page is not there yet')
  return page.toString()
}

/** Names of elements and of their attributes, in order. */
const skeleton = (page: string) =>
  (page.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/="[^"]*"/g, '=""'))

describe('a hostile text', () => {
  it('is never markup: the page has the elements that it has with a harmless one', () => {
    const expected = pagesWith('harmless').map(skeleton)
    fc.assert(
      fc.property(nasty, (text) => {
        expect(pagesWith(`a ${text} z`).map(skeleton)).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })

  it('is shown as it is written', async () => {
    const text = `<script>alert("1")</script> & 'more'`
    const page = await textOf('/catalogues/city.html', figuresWith(text))
    expect(page).not.toContain('<script>alert')
    expect(wordsOf(page)).toContain(text)
  })

  it('ends where a row would become a page', async () => {
    const page = await textOf('/portal.html', figuresWith('x'.repeat(1_000_000)))
    expect(page.length).toBeLessThan(60_000)
  })

  it('does not turn the direction of what stands around it', async () => {
    const page = await textOf('/catalogues/city.html', figuresWith('\u{202e}gnp.exe'))
    expect(page).toContain('<h1><bdi>\u{202e}gnp.exe</bdi></h1>')
  })

  it('is no link unless it is an address of the web', async () => {
    for (const iri of ['javascript:alert(1)', 'data:text/html,x', 'urn:x', '/portal', ' \0']) {
      const worst = [{ ...datasetOf('x', 1), iri }]
      const page = await textOf('/catalogues/city.html', figuresOf({ worst, best: [] }))
      expect(page).toContain('<th scope="row"><bdi>Dataset x</bdi><')
    }
  })
})

describe('texts', () => {
  const wish = { locale: 'fr', languages: ['de'], id: 'the-id' }
  it.each([
    [
      { fr: 'eau', de: 'Wasser', en: 'water' },
      { text: 'eau', language: 'fr' },
    ],
    [
      { 'fr-CH': 'eau', de: 'Wasser' },
      { text: 'eau', language: 'fr-CH' },
    ],
    [
      { de: 'Wasser', en: 'water' },
      { text: 'Wasser', language: 'de' },
    ],
    [
      { en: 'water', pl: 'woda' },
      { text: 'water', language: 'en' },
    ],
    [
      { pl: 'woda', cs: 'voda' },
      { text: 'voda', language: 'cs' },
    ],
    [{ '': 'aqua' }, { text: 'aqua' }],
    [
      { fr: '  ', de: 'Wasser' },
      { text: 'Wasser', language: 'de' },
    ],
    [{}, { text: 'the-id' }],
    [{ '"><x': 'aqua' }, { text: 'aqua' }],
  ])(
    'of %j are told in the wanted language, else the main one, English, any: %j',
    (texts, found) => {
      expect(localText(texts, wish)).toEqual(found)
    },
  )

  it('are one line of characters that can be seen', () => {
    expect(line(' a\0\r\n\tb\u{2028}c\u{85}  d \u{d800}')).toBe('a b c d \u{fffd}')
  })

  it('are cut between characters', () => {
    expect(clipped('💧💧💧', 3)).toBe('💧💧💧')
    expect(clipped('💧💧💧💧', 3)).toBe('💧💧…')
  })
})
