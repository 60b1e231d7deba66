/** Texts in the language of a page: what the portal says (ICU messages) and what records say (language maps). */

import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import { isJsonObject } from '../text/json.ts'
import { html, type HtmlMarkup } from './html.ts'

/** Languages that the portal speaks. */
export const interfaceLanguages = ['en', 'de', 'fr', 'it'] as const

type Messages = Readonly<Record<string, string>>

/** A message of the portal in the language of the page; `values` fill its arguments. */
export type Translate = (key: string, values?: Readonly<Record<string, string | number>>) => string

const messagesOf = (language: string): Messages =>
  JSON.parse(readFileSync(new URL(`texts/${language}.json`, import.meta.url), 'utf8'))

/** Own messages win over those that come with the portal; English stands in for what is missing. */
export function translator(language: string, own: Messages = {}): Translate {
  const messages = { ...messagesOf('en'), ...messagesOf(language), ...own }
  const compiled = new Map<string, IntlMessageFormat>()
  const locale = localeOf(language)
  return (key, values) => {
    const message = messages[key] ?? key
    if (!message.includes('{')) return message
    const known = compiled.get(key) ?? new IntlMessageFormat(message, locale, undefined, literal)
    compiled.set(key, known)
    return String(known.format(values))
  }
}

/** Tags in messages are text. */
const literal = { ignoreTag: true } as const

/** Dates in English are written as in Britain. */
export const localeOf = (language: string): string => (language === 'en' ? 'en-GB' : language)

/** Languages written from right to left. */
const rightToLeft: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur', 'yi'])

/** Value of the attribute `dir`. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  rightToLeft.has(language.split('-')[0] ?? '') ? 'rtl' : 'ltr'

/** A text of a record and the language that it is in; of a text without language that is `undefined`. */
export type Text = { readonly text: string; readonly language?: string | undefined }

/**
 * A text of a language map (`{"en": "…"}`) or a plain text: the wanted languages in their order, then English, then any. Machine
 * translations (`de-t-en-t0-mtec`) count as their language.
 */
export function chosenText(value: unknown, wanted: readonly string[]): Text | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : { text: value }
  if (!isJsonObject(value)) return undefined
  const texts = Object.entries(value).flatMap(([key, given]) => {
    const text = Array.isArray(given) ? (given[0] as unknown) : given
    return typeof text === 'string' && text.trim() !== '' ? [{ key, text }] : []
  })
  const [found = texts[0]] = [...wanted, 'en'].flatMap((language) => {
    const own = texts.find(({ key }) => key === language)
    return own ?? texts.find(({ key }) => key.startsWith(`${language}-`)) ?? []
  })
  return found && { text: found.text, language: found.key.split('-t-')[0] }
}

/** Dates, numbers and sizes as readers of the language write them. */
export function localFormats(language: string, timeZone: string) {
  const locale = localeOf(language)
  const number = new Intl.NumberFormat(locale)
  const names = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' })
  const countries = new Intl.DisplayNames(locale, { type: 'region' })
  const dated = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone, ...options })
    return (value: unknown): HtmlMarkup | undefined => {
      const date = new Date(typeof value === 'string' ? value : Number.NaN)
      if (Number.isNaN(date.getTime())) return undefined
      return html`<time datetime="${value}">${format.format(date)}</time>`
    }
  }
  return {
    day: dated({}),
    moment: dated({ timeStyle: 'short' }),
    number: (value: number) => number.format(value),
    /** `413 kB`: decimal units, as browsers show downloads. */
    size: (bytes: number) => sizeText(bytes, locale),
    /** A country by its number in ISO 3166, of which a locale makes the letters that name it. */
    countryName: (number: string): string => {
      const { region } = new Intl.Locale(`und-${number}`)
      return countries.of(region ?? number) ?? number
    },
    languageName: (code: string) => {
      try {
        return names.of(code) ?? code
      } catch {
        return code
      }
    },
  }
}

export type Formats = ReturnType<typeof localFormats>

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
