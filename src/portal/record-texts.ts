/** Titles, labels and other texts of records in the language of a page, with the language said where it is another one. */

import type { Fields } from '../text/json.ts'
import { html, type HtmlContent } from './html.ts'
import { chosenText, directionOf, type Formats, type Text, type Translate } from './languages.ts'
import { fieldsAt, listAt, listed, memberFields, textAt, textOr, valueAt } from './record.ts'

type Spoken = { readonly language: string; readonly t: Translate; readonly formats: Formats }

/** Members that name a value, the best first. */
const nameMembers = ['label', 'title', 'name_translated', 'name', 'pref_label']

/** Codes of licences that say their name: `CC_BY_4_0` is CC BY 4.0. */
const licenceCode = /^(?:CC|ODC|DL|IODL|OGL|LO)[\w-]*$/

/** In which language a title is where that is not the page's, and that a machine has translated it. */
function titleBadge({ language, t, formats }: Spoken, record: Fields, text: Text): HtmlContent {
  const origin = fieldsAt(record, `translation_meta.details.${text.language}`)
  const isMachine = origin['machine_translated'] === true
  if (!isMachine && (text.language ?? language) === language) return false
  const code = (isMachine ? textAt(origin, 'original_language') : text.language) ?? ''
  const name = formats.languageName(code)
  const title = isMachine ? t('machine-translated', { language: name }) : name
  return html` <abbr class="lang" title="${title}">${isMachine ? 'MT' : code}</abbr>`
}

function keywordsIn(record: Fields, language: string): readonly Fields[] {
  const all = listAt(record, 'keywords')
  const own = all.filter((one) => (one['language'] ?? language) === language)
  return own.length > 0 ? own : all
}

/** Functions that every page of a language shares. */
export function recordTexts(spoken: Spoken) {
  const { language, t } = spoken
  /** The language of the page, then those of the record's catalogue. */
  const wanted = (record: unknown): readonly string[] => {
    const own = valueAt(record, 'catalog.language') ?? valueAt(record, 'language')
    return [language, ...listed(own).flatMap((one) => textAt(one, 'id') ?? [])]
  }
  const textOf = (value: unknown, record?: unknown) => chosenText(value, wanted(record))
  const isOwn = (text: Text) => text.language === undefined || text.language === language
  const inLanguage = (text: Text, content: HtmlContent = text.text): HtmlContent =>
    isOwn(text)
      ? html`<bdi>${content}</bdi>`
      : html`<span lang="${text.language}" dir="${directionOf(text.language ?? '')}">${content}</span>`
  const titleIn = (record: Fields): Text =>
    textOf(record['title'], record) ?? {
      text: textOr(listed(record['identifier'])[0]) ?? textAt(record, 'id') ?? t('untitled'),
    }
  const named = (value: unknown): Text | undefined => {
    if (typeof value === 'string') return chosenText(value, [])
    const fields = memberFields(value)
    const texts = nameMembers.map((name) => textOf(fields[name]))
    const code = textAt(fields, 'id') ?? textAt(fields, 'resource')
    return texts.find((one) => one) ?? (code === undefined ? undefined : { text: code })
  }
  const labelOf = (value: unknown): HtmlContent => {
    const label = named(value)
    return label && inLanguage(label)
  }
  const nameOf = (value: unknown): string | undefined => named(value)?.text
  return {
    ...spoken,
    /** The text of a language map in the best language there is. */
    textOf,
    /** A text in an element that says its language where that is not the page's. */
    inLanguage,
    /** A title with a badge that names its language where that is not the page's, and says that a machine translated it. */
    titleOf: (record: Fields, content?: HtmlContent): HtmlContent => {
      const text = titleIn(record)
      return html`${inLanguage(text, content ?? text.text)}${titleBadge(spoken, record, text)}`
    },
    /** The title alone, for places that take text only. */
    plainTitle: (record: Fields): string => titleIn(record).text,
    /** What a value with a label, a title or a name is called; the text itself where it is one. */
    labelOf,
    /** The same as text alone. */
    nameOf,
    licenceName: (licence: unknown): HtmlContent => {
      const id = textAt(licence, 'id') ?? ''
      if (!licenceCode.test(id)) return labelOf(licence)
      return id.replaceAll(/(\d)_(?=\d)/g, '$1.').replaceAll('_', ' ')
    },
    /** Keywords in the language of the page and those in none; all of them where there are no such. */
    keywordsOf: (record: Fields): readonly Fields[] => keywordsIn(record, language),
    /** Formats of all distributions, each once, in their order. */
    formatsOf: (record: Fields): readonly string[] => [
      ...new Set(listAt(record, 'distributions').flatMap(({ format }) => nameOf(format) ?? [])),
    ],
  }
}

/** A language: its messages, dates and numbers, texts of records. */
export type Speech = ReturnType<typeof recordTexts>
