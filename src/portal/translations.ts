/** Texts in the language of a page: messages of the portal (ICU), dates and numbers, and texts of records (language maps). */

import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import {
  type Fields,
  isJsonObject,
  listed,
  memberFields,
  textAt,
  textOr,
  valueAt,
} from '../text/json.ts'
import { html, type HtmlContent, type HtmlMarkup } from './html.ts'
import { shortText } from '../text/code-points.ts'
import { timeRangeOf } from '../vocabularies/dates.ts'
import { fieldsAt, listAt, distributionValues } from './record.ts'

/** Languages for which the portal has messages. */
export const interfaceLanguages = ['en', 'de', 'fr', 'it'] as const

type Messages = Readonly<Record<string, string>>

/** Returns a message of the portal by its key, with `values` as its arguments; the key itself where there is no such message. */
type Translate = (key: string, values?: Readonly<Record<string, string | number>>) => string

const messagesOf = (language: string): Messages =>
  JSON.parse(readFileSync(new URL(`texts/${language}.json`, import.meta.url), 'utf8'))

/** Makes the function that translates. `replacements` override the messages of the portal; missing ones are English. */
function translator(language: string, replacements: Messages = {}): Translate {
  const messages = { ...messagesOf('en'), ...messagesOf(language), ...replacements }
  const compiled = new Map<string, IntlMessageFormat>()
  const locale = localeOf(language)
  return (key, values) => {
    const message = messages[key] ?? key
    if (!message.includes('{')) return message
    const format = compiled.get(key) ?? new IntlMessageFormat(message, locale, undefined, literal)
    compiled.set(key, format)
    return String(format.format(values))
  }
}

/** Options of message formats: tags in messages are plain text. */
const literal = { ignoreTag: true } as const

/** Locale for dates and numbers of a language; English ones are written as in Britain. */
export const localeOf = (language: string): string => (language === 'en' ? 'en-GB' : language)

/** Languages written from right to left. */
const rightToLeft: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur', 'yi'])

/** Value of the HTML attribute `dir` for a language. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  rightToLeft.has(language.split('-')[0] ?? '') ? 'rtl' : 'ltr'

/** Text of a record with its language, which is `undefined` where the record does not name it. */
type Text = { readonly text: string; readonly language?: string | undefined }

/**
 * Picks a text of a language map (`{"en": "…"}`), or a plain text: in the first of `languages` that it has, else in English, else
 * in any; of a list of texts the first. Variants (`de-CH`) and machine translations (`de-t-en-t0-mtec`) count as their language
 * where that has no text. `undefined` without a text that is not blank.
 */
export function pickText(value: unknown, languages: readonly string[]): Text | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : { text: value }
  if (!isJsonObject(value)) return undefined
  const texts = Object.entries(value).flatMap(([key, member]) => {
    const text = Array.isArray(member) ? (member[0] as unknown) : member
    return typeof text === 'string' && text.trim() !== '' ? [{ key, text }] : []
  })
  const [best = texts[0]] = [...languages, 'en'].flatMap((language) => {
    const exact = texts.find(({ key }) => key === language)
    return exact ?? texts.find(({ key }) => key.startsWith(`${language}-`)) ?? []
  })
  return best && { text: best.text, language: best.key.split('-t-')[0] }
}

/**
 * Formats of dates, numbers and sizes in a language. `day`, `isoDate` and `moment` give `undefined` for values that are no dates.
 */
function localFormats(language: string, timeZone: string) {
  const locale = localeOf(language)
  const number = new Intl.NumberFormat(locale)
  const names = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' })
  const countries = new Intl.DisplayNames(locale, { type: 'region' })
  const withoutZone = plainDates(locale)
  const dated = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone, ...options })
    return (value: unknown): HtmlMarkup | undefined => {
      const isText = typeof value === 'string'
      const hasNoZone = isText && !/T.*(?:Z|[+-]\d\d:\d\d)$/.test(value)
      const isTime = isText && value.includes('T')
      const date = new Date(isText ? value + (isTime && hasNoZone ? 'Z' : '') : Number.NaN)
      if (Number.isNaN(date.getTime())) return undefined
      const fitting = hasNoZone ? withoutZone(isTime ? 10 : value.length) : format
      return html`<time datetime="${value}">${fitting.format(date)}</time>`
    }
  }
  return {
    /** Date as a `time` element: an instant in the portal's time zone, a value without a zone as its year, month or day. */
    day: dated({}),
    /** Day (`YYYY-MM-DD`) as plain text; throws `RangeError` for any other text. */
    dayText: (day: string): string => withoutZone(10).format(new Date(day)),
    /**
     * Date in digits (`2024-03-31`, `2024-03`, `2024`) as plain text; an instant in UTC becomes a day in the portal's time zone.
     */
    isoDate: isoDates(timeZone),
    /** Date and time in the portal's time zone as a `time` element; a value without a zone as in `day`, without its time. */
    moment: dated({ timeStyle: 'short' }),
    number: (value: number) => number.format(value),
    /** Size of a number of bytes in decimal units, as browsers show downloads: `413 kB`. */
    size: (bytes: number) => sizeText(bytes, locale),
    /** Name of a country by its number in ISO 3166, which `Intl.Locale` maps to its letters. */
    countryName: (number: string): string => {
      const { region } = new Intl.Locale(`und-${number}`)
      return countries.of(region ?? number) ?? number
    },
    /** Name of a language by its code; the code where it has no name. */
    languageName: (code: string) => {
      try {
        return names.of(code) ?? code
      } catch {
        return code
      }
    },
  }
}

type Formats = ReturnType<typeof localFormats>

/** Returns the format of a date without a time zone by the length of its text: 4 is a year, 7 a month, any other a day. */
function plainDates(locale: string) {
  const clock = { timeZone: 'UTC' } as const
  const precisions: Readonly<Record<number, Intl.DateTimeFormat>> = {
    4: new Intl.DateTimeFormat(locale, { year: 'numeric', ...clock }),
    7: new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', ...clock }),
  }
  const wholeDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', ...clock })
  return (length: number) => precisions[length] ?? wholeDay
}

/** Writes dates in digits in their own precision: `2024-03-31`, `2024-03`, `2024`. */
function isoDates(timeZone: string) {
  const digits = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const isoDay = new Intl.DateTimeFormat('en-CA', { timeZone, ...digits })
  return (value: unknown): string | undefined => {
    const extent = typeof value === 'string' ? timeRangeOf(value) : undefined
    if (!extent?.text.includes('T')) return extent?.text
    return extent.text.endsWith('Z') ? isoDay.format(extent.from) : extent.text.slice(0, 10)
  }
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const

function sizeText(bytes: number, locale: string): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(bytes || 1) / 3)))
  const value = bytes / 1000 ** step
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[step] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value)
}

type PageLanguage = { readonly language: string; readonly t: Translate; readonly formats: Formats }

/** Members that can have the name of a value, in the order of preference. */
const nameMembers = ['label', 'title', 'name_translated', 'name', 'pref_label']

/** Codes of licences from which the name is made: `CC_BY_4_0` → `CC BY 4.0`. */
const licenceCode = /^(?:CC|ODC|DL|IODL|OGL|LO)[\w-]*$/

const codeName = (id: string): string | undefined =>
  licenceCode.test(id) ? id.replaceAll(/(\d)_(?=\d)/g, '$1.').replaceAll('_', ' ') : undefined

/** Badge after a title that is in another language than the page, or was translated by a machine. */
function titleBadge(
  { language, t, formats }: PageLanguage,
  record: Fields,
  text: Text,
): HtmlContent {
  const origin = fieldsAt(record, `translation_meta.details.${text.language}`)
  const isMachine = origin['machine_translated'] === true
  if (!isMachine && (text.language ?? language) === language) return false
  const code = (isMachine ? textAt(origin, 'original_language') : text.language) ?? ''
  const name = formats.languageName(code)
  const title = isMachine ? t('machine-translated', { language: name }) : name
  return html` <abbr class="lang" title="${title}">${isMachine ? 'MT' : code}</abbr>`
}

/** Name of a value: its label, title or name, else its id or IRI; cut after `most` characters, by default 200. */
function nameIn(language: string, value: unknown, most?: number): Text | undefined {
  const fields = memberFields(value)
  const texts = nameMembers.map((name) => pickText(fields[name], [language]))
  const code = textAt(fields, 'id') ?? textAt(fields, 'resource')
  const [text] =
    typeof value === 'string'
      ? [pickText(value, [])]
      : [...texts.filter(Boolean), code === undefined ? undefined : { text: code }]
  return text && { ...text, text: shortText(text.text, most) }
}

/** Keywords in the language of the page and those without a language; all of them where there are none. */
function keywordsIn(record: Fields, language: string): readonly Fields[] {
  const keywords = listAt(record, 'keywords').map((keyword): Fields => ({
    ...keyword,
    label: shortText(textAt(keyword, 'label') ?? ''),
  }))
  const ofLanguage = keywords.filter((keyword) => (keyword['language'] ?? language) === language)
  return ofLanguage.length > 0 ? ofLanguage : keywords
}

/** Makes the texts and formats of a language, which all its pages share. `replacements` override messages of the portal. */
export function translationsOf(language: string, timeZone: string, replacements?: Messages) {
  const [t, formats] = [translator(language, replacements), localFormats(language, timeZone)]
  const pageLanguage = { language, t, formats }
  /** Language of the page, then those of the record's catalogue, or of the record where that names none. */
  const languagesFor = (record: unknown): readonly string[] => {
    const languages = valueAt(record, 'catalog.language') ?? valueAt(record, 'language')
    return [language, ...listed(languages).flatMap((language) => textAt(language, 'id') ?? [])]
  }
  const textOf = (value: unknown, record?: unknown) => pickText(value, languagesFor(record))
  const inLanguage = (text: Text, content: HtmlContent = text.text): HtmlContent =>
    (text.language ?? language) === language
      ? html`<bdi>${content}</bdi>`
      : html`<span lang="${text.language}" dir="${directionOf(text.language ?? '')}">${content}</span>`
  const titleIn = (record: Fields): Text =>
    textOf(record['title'], record) ?? {
      text: textOr(listed(record['identifier'])[0]) ?? textAt(record, 'id') ?? t('untitled'),
    }
  const nameText = (value: unknown, most?: number) => nameIn(language, value, most)
  const labelOf = (value: unknown, most?: number): HtmlContent => {
    const label = nameText(value, most)
    return label && inLanguage(label)
  }
  return {
    ...pageLanguage,
    /**
     * Text of a language map or a plain text, in the language of the page or the next best one; `record` names further languages.
     */
    textOf,
    /** Element with a text, with the attribute `lang` where its language is not that of the page. */
    inLanguage,
    /** Title of a record, with a badge where it is in another language or was translated by a machine. */
    titleOf: (record: Fields, content?: HtmlContent): HtmlContent => {
      const text = titleIn(record)
      return html`${inLanguage(text, content ?? text.text)}${titleBadge(pageLanguage, record, text)}`
    },
    /** Title of a record as plain text. */
    plainTitle: (record: Fields): string => titleIn(record).text,
    /**
     * Name of a value: its label, title or name, else its id or IRI, or the value itself where it is a text; cut after `most`
     * characters, by default 200.
     */
    labelOf,
    /** `labelOf` as plain text. */
    nameOf: (value: unknown, most?: number): string | undefined => nameText(value, most)?.text,
    /** Name of a licence: made of its id where that is a known code (`licenceCode`), else as `labelOf`. */
    licenceName: (licence: unknown): HtmlContent =>
      codeName(textAt(licence, 'id') ?? '') ?? labelOf(licence),
    /** Keywords in the language of the page and those without a language; all of them where there are none. */
    keywordsOf: (record: Fields): readonly Fields[] => keywordsIn(record, language),
    /** Names of the formats of all distributions, each once. */
    formatsOf: (record: Fields): readonly string[] => [
      ...new Set(
        distributionValues(record, 'format').flatMap((format) => nameText(format)?.text ?? []),
      ),
    ],
  }
}

/** Texts and formats of a language, as `translationsOf` returns them. */
export type Translations = ReturnType<typeof translationsOf>
