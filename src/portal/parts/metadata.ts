/** Any value of a record for people: labels, links, dates, durations, periods, keywords, contacts. */

import { shortText } from '../../text/code-points.ts'
import { type Fields, isJsonObject, listed, textAt, textOr } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, isEmpty, joinHtml, linkTo, safeAddress } from '../html.ts'
import { directionOf, localeOf } from '../translations.ts'
import { listAt } from '../record.ts'
import { pairList } from './blocks.ts'

/** Values of one field that are shown, and how far objects are looked into. */
const [mostValues, deepest] = [100, 4]
/** Characters of one value, which may be a statement of some sentences. */
const longestText = 2000

/** Fields that the page shows in places of their own, or that are about the index. */
const fieldsShownElsewhere: ReadonlySet<string> = new Set(
  (
    'index id title description distributions catalog quality_meas translation_meta catalog_record ' +
    'publisher contact_point spatial keywords is_hvd categories count _cut'
  ).split(' '),
)

/** Fields whose months are months: elsewhere the same text may be a version. */
const dateFields: ReadonlySet<string> = new Set(['issued', 'modified'])

/** Rows of what a record says and no other part of its page shows; `names` are what an own profile calls its fields. */
export function metadataRows(
  context: PageContext,
  record: Fields,
  names: ReadonlyMap<string, string> = new Map(),
): HtmlContent {
  const rows = Object.entries(record)
    .filter(([name]) => !fieldsShownElsewhere.has(name))
    .map(([name, value]): [string, HtmlContent] => {
      const day = dateFields.has(name) ? context.formats.day(value) : undefined
      return [names.get(name) ?? fieldName(context, name), day ?? valueText(context, value)]
    })
  return pairList([[context.t('field-keywords'), keywords(context, record)], ...rows])
}

/** A name of the profile in words: ours where there are some. */
function fieldName({ t }: PageContext, name: string): string {
  const key = `field-${name}`
  const known = t(key)
  if (known !== key) return known
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** By language, those of the page first. */
function keywords(context: PageContext, record: Fields): HtmlContent {
  const groups = Map.groupBy(listAt(record, 'keywords'), (one) => textAt(one, 'language') ?? '')
  const parts = [...new Set([context.language, ...groups.keys()])].map((language) => {
    const words = groups.get(language)?.map((one) => shortText(textAt(one, 'label') ?? '')) ?? []
    const text = words.slice(0, mostValues).join(', ')
    if (language === '' || text === '') return text
    return html`<span lang="${language}" dir="${directionOf(language)}">${text}</span>`
  })
  return joinHtml(parts, ' · ')
}

/** Empty where there is nothing to show. */
function valueText(context: PageContext, value: unknown, depth = 0): HtmlContent {
  if (depth > deepest) return undefined
  if (typeof value === 'boolean') return context.t(value ? 'yes' : 'no')
  if (typeof value === 'number') return context.formats.number(value)
  if (typeof value === 'string') return value && textValue(context, shortText(value, longestText))
  const deeper = (one: unknown) => valueText(context, one, depth + 1)
  if (Array.isArray(value)) return joinHtml(value.slice(0, mostValues).map(deeper), ' · ')
  return isJsonObject(value) ? objectText(context, value, deeper) : undefined
}

function textValue(context: PageContext, value: string): HtmlContent {
  const words = durationText(context.language, value)
  if (words !== '') return words
  if (/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}|$)/.test(value)) return context.formats.day(value) ?? value
  return safeAddress(value) === undefined
    ? html`<bdi>${value}</bdi>`
    : linkTo(value, lawName(context, value) ?? html`<code>${value}</code>`)
}

/** A law of the EU by its ELI, named as since 2015: `Implementing Regulation (EU) 2023/138`. */
function lawName({ t }: PageContext, address: string): string | undefined {
  const [, kind, year = '', number] =
    /\/eli\/(reg|reg_impl|reg_del|dir)\/(20\d\d)\/(\d+)(?:\/|$)/.exec(address) ?? []
  return year < '2015' ? undefined : t(`law-${kind}`, { number: `${year}/${number}` })
}

function objectText(
  context: PageContext,
  value: Fields,
  deeper: (value: unknown) => HtmlContent,
): HtmlContent {
  if ('gte' in value || 'lte' in value) return periodText(context, value)
  const label = context.labelOf(value, longestText)
  const address = value['resource'] ?? value['url'] ?? value['homepage']
  if (label) {
    const isCode = textOr(address)?.startsWith('http://publications.europa.eu/') === true
    return isCode ? label : linkTo(address, label)
  }
  const map = context.textOf(value)
  if (map && Object.values(value).every((one) => typeof one === 'string'))
    return context.inLanguage(map)
  const parts = Object.entries(value).map(([name, one]) => {
    const shown = deeper(one)
    return !isEmpty(shown) && html`${fieldName(context, name)}: ${shown}`
  })
  return joinHtml(parts, '; ')
}

const dates = String.raw`(?:(?<years>\d+)Y)?(?:(?<months>\d+)M)?(?:(?<weeks>\d+)W)?(?:(?<days>\d+)D)?`
const times = String.raw`(?:T(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+)S)?)?`
const duration = new RegExp(`^P${dates}${times}$`)

/** A duration of ISO 8601 in words; empty for every other text. */
function durationText(language: string, value: string): string {
  const given = Object.entries(duration.exec(value)?.groups ?? {})
  const amounts = given
    .filter(([, amount]) => amount)
    .map(([unit, amount]) => [unit, Number(amount)])
  if (amounts.length === 0) return ''
  const words = new Intl.DurationFormat(localeOf(language), { style: 'long' })
  return words.format(Object.fromEntries(amounts))
}

/** `since 1987`, `until …`, `… – …`; whole years are shown as years, and what begins and ends alike is shown once. */
export function periodText({ t, formats }: PageContext, value: Fields): HtmlContent {
  const [from, to] = [textOr(value['gte']), textOr(value['lte'])].map((text, at) => {
    const day = text?.replace('T00:00:00Z', '')
    // Where instants stand for dates, a year is its first day at both ends.
    const isYear = at === 0 ? /-01-01$/ : day === text ? /-12-31$/ : /-01-01$|-12-31$/
    return day !== undefined && isYear.test(day) ? day.slice(0, 4) : day
  })
  const [first, last] = [from, to].map((one) => one !== undefined && formats.day(one))
  if (first && last) return from === to ? first : html`${first} – ${last}`
  if (first) return html`${t('since')} ${first}`
  return last && html`${t('until')} ${last}`
}

/** Name, addresses and telephone of somebody to ask. */
export function contactLines({ t, labelOf }: PageContext, contact: Fields): HtmlContent {
  const linked = (scheme: string, text: string | undefined) =>
    text !== undefined &&
    linkTo(text.includes(':') ? text : scheme + text, text.replace(scheme, ''))
  const pages = listed(contact['url']).slice(0, 3)
  const lines = [
    labelOf(contact),
    linked('mailto:', textAt(contact, 'email')),
    linked('tel:', textAt(contact, 'telephone')),
    textAt(contact, 'address'),
    ...pages.map((url) => linkTo(url, t('web-page'))),
  ]
  return joinHtml(lines, html`<br />`)
}
