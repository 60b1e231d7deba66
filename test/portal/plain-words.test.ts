/** Words that no page shows to people, in any language: those of RDF and of the store, for which there are plain ones. */

import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { interfaceLanguages } from '../../src/portal/translations.ts'
import { type FormField, formModels } from '../../src/profile/form-model.ts'
import { loadProfile } from '../../src/profile/load-profile.ts'
import { deskAlone } from './desk/desk-alone.ts'
import { type Desk, lakes, steps } from './desk/form-sender.ts'

const forbidden = new RegExp(
  String.raw`(?<![-\p{L}])(?:distribution(?:s|en)?|distribuzion[ei]|tripl(?:es?|ets?|a)|tripel[ns]?|triplette?|IRIs?|SHACL|ETags?|tombstones?|blank nodes?|leere[rn]? Knoten|nœuds? (?:vides?|anonymes?)|nod[oi] (?:vuot|anonim)[oi])(?!\p{L})`,
  'giu',
)

/** Forbidden words of a text, without addresses. */
const wordsIn = (text: string) => text.replaceAll(/https?:\S+/g, '').match(forbidden) ?? []

/** Text of a page as people read or hear it. */
const readable = (html: string) =>
  [
    html.replaceAll(/<(?:style|script|svg)[^>]*>[^]*?<\/(?:style|script|svg)>|<[^>]*>/g, ' '),
    ...[...html.matchAll(/ (?:aria-label|title|placeholder|data-[a-z-]+)="([^"]*)"/g)].map(
      ([, text = '']) => text,
    ),
  ].join('\n')

it('no message of the shapes that check drafts has such a word', () => {
  const messages = ['base', 'recommended'].flatMap((set) => {
    const file = new URL(`../../shapes/dcat-ap/3.0.1/${set}.ttl`, import.meta.url)
    return [...readFileSync(file, 'utf8').matchAll(/sh:message "([^"]+)"/g)].map(
      ([, text = '']) => text,
    )
  })
  expect(messages.length).toBeGreaterThan(100)
  expect(messages.filter((text) => wordsIn(text).length > 0)).toEqual([])
})

it('no template of a page has such a word outside of the texts in languages', () => {
  const files = globSync('src/portal/**/*.ts', { cwd: new URL('../../', import.meta.url) })
  const shown = files.flatMap((file) => {
    const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
    return [...source.matchAll(/>([^<>`${}=;]+)</g)].map(([, text = '']) => text)
  })
  expect(shown.length).toBeGreaterThan(50)
  expect(shown.filter((text) => wordsIn(text).length > 0)).toEqual([])
})

it('no help of the built-in profile has such a word, which profiles made of it show', async () => {
  const models = await formModels(await loadProfile())
  const helpOf = (fields: readonly FormField[]): readonly string[] =>
    fields.flatMap(({ help = {}, label = {}, nested }) => [
      ...Object.values(help),
      ...Object.values(label),
      ...helpOf(nested?.fields ?? []),
    ])
  const texts = ['datasets', 'catalogues'].flatMap((type) =>
    helpOf(models(type)?.sections.flatMap(({ fields }) => fields) ?? []),
  )
  expect(texts.length).toBeGreaterThan(50)
  expect(texts.filter((text) => wordsIn(text).length > 0)).toEqual([])
})

describe.each(interfaceLanguages)('in %s', (language) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await deskAlone(lakes)
  })
  afterAll(() => desk.close())

  it('no text of the portal has such a word', () => {
    const file = new URL(`../../src/portal/texts/${language}.json`, import.meta.url)
    const texts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    // Names of arguments are no words.
    const shown = Object.entries(texts).map(
      ([key, text]) => [key, wordsIn(text.replaceAll(/\{\w+(?=[,}])/g, '{'))] as const,
    )
    expect(shown.filter(([, words]) => words.length > 0)).toEqual([])
  })

  it('no page of a form has such a word in its labels, its help or its choices', async () => {
    const own = `/${language}/desk/datasets/lakes`
    const list = await desk.page(`${own}/files?catalogue=water`)
    const [, file = ''] = /href="([^"]+\/files\/distributions\.~[^"]+)"/.exec(list) ?? []
    const service = file.replace('?', '.access_service.%2B0?')
    const pages = [
      ...steps.map((step) => `${own}/${step}?catalogue=water`),
      ...[file, service].map((path) => path.replaceAll('&amp;', '&')),
      `${own}/files/distributions.%2B0?catalogue=water`,
      `${own}/pick/categories?catalogue=water`,
    ]
    for (const path of pages) {
      const html = await desk.page(path)
      expect([path, html.includes('savebar') || html.includes('<h1')]).toEqual([path, true])
      expect([path, wordsIn(readable(html))]).toEqual([path, []])
    }
  })
})
