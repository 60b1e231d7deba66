/** Words of the reports with numbers and days as readers of a language write them, from one file of texts for each language. */

import type { Band } from '../../search-index/index-settings.ts'
import { pseudoCodes } from '../indicators.ts'
import { constraintName } from './rdf-names.ts'
import de from './texts/de.json' with { type: 'json' }
import en from './texts/en.json' with { type: 'json' }
import fr from './texts/fr.json' with { type: 'json' }
import it from './texts/it.json' with { type: 'json' }

const texts: Readonly<Record<string, typeof en>> = { en, de, fr, it }

/** A text for one thing and a text for several. */
type Forms = { readonly one: string; readonly other: string }

/** The parts of a text, with values in the place of their `{names}`: joined they are a text, in a template they are markup. */
export const textParts = <Value>(text: string, values: Readonly<Record<string, Value>>) =>
  text.split(/\{(\w+)\}/).map((part, at) => (at % 2 === 1 ? values[part] : part))

/** Days are those of UTC. */
function formatsOf(locale: string) {
  const tenth = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
  const oneDecimal = new Intl.NumberFormat(locale, tenth)
  const share = new Intl.NumberFormat(locale, { ...tenth, style: 'percent' })
  const full = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'long' })
  return {
    /** `1,204` */
    count: (value: number): string => whole.format(value),
    /** `97.5%` of 97.5 */
    percent: (value: number): string => share.format(value / 100),
    /** `3.4`: points that are no whole number. */
    decimal: (value: number): string => oneDecimal.format(value),
    /** `22 November 2026` */
    longDay: (day: string | Date): string => full.format(new Date(day)),
  }
}

const textNamed = (named: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(named, key) ? named[key] : undefined

function wordsIn(language: string, own: typeof en) {
  // English is written as in Britain.
  const locale = language === 'en' ? 'en-GB' : language
  const formats = formatsOf(locale)
  const plural = new Intl.PluralRules(locale)
  return {
    ...own,
    ...formats,
    language,
    /** `1 dataset`, `2,000 datasets` */
    counted: (value: number, forms: Forms, values: Readonly<Record<string, string>> = {}): string =>
      textParts(plural.select(value) === 'one' ? forms.one : forms.other, {
        ...values,
        count: formats.count(value),
      }).join(''),
    /** Bands that come with the platform are translated, those with a title of their own keep it. */
    bandTitle: ({ id, title }: Band): string =>
      (textNamed(en.bands, id) === title ? textNamed(own.bands, id) : undefined) ?? title,
    /** `MinCountConstraintComponent` → `min count` (SHACL 4). */
    constraint: (component: string): string =>
      textNamed(own.constraints, component.replace(/ConstraintComponent$/, '')) ??
      constraintName(component),
    severity: (name: string): string => textNamed(own.severities, name.toLowerCase()) ?? name,
    /** A status code, or words in place of a pseudo code. */
    statusName: (code: string | number): string => {
      if (Number(code) === pseudoCodes.connectionFailure) return own.status.connectionFailure
      return Number(code) === pseudoCodes.invalidUrl ? own.status.invalidUrl : String(code)
    },
  }
}

/** The words of one language, and its forms of numbers and days. */
export type ReportWords = ReturnType<typeof wordsIn>

/** Programs read these in every language: names in CSV and JSON are a contract. */
export const englishWords: ReportWords = wordsIn('en', en)

const all = new Map(Object.entries(texts).map(([code, own]) => [code, wordsIn(code, own)]))

/** The words for a reader (`de-CH` reads `de`); English ones where there are no texts in that language. */
export const wordsFor = (locale: string): ReportWords =>
  all.get(locale.toLowerCase().split('-')[0] ?? '') ?? englishWords
