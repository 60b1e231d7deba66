/** Values of any field of a record as HTML: labels, links, dates, durations, periods, keywords, contacts. */

import { shortText } from '../../text/code-points.ts'
import { type Fields, isJsonObject, listed, textAt, textOr } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, isEmpty, joinHtml, linkTo, safeAddress } from '../html.ts'
import { directionOf, localeOf } from '../translations.ts'
import { listAt } from '../record.ts'
import { pairList } from './blocks.ts'

/** Most values of one field, and the deepest level of nested objects that are shown. */
const [mostValues, deepest] = [100, 4]
/** Most characters of one value, which may be several sentences. */
const longestText = 2000

/** Fields that other parts of the page of a dataset show, or that describe the index; pages of resources omit them too. */
const fieldsShownElsewhere: ReadonlySet<string> = new Set(
  (
    'index id title description distributions catalog quality_meas translation_meta catalog_record ' +
    'publisher contact_point spatial keywords is_hvd categories count _cut'
  ).split(' '),
)

/** Fields in which `2024-03` is a month; in other fields it may be a version. */
const dateFields: ReadonlySet<string> = new Set(['issued', 'modified'])

/**
 * Description list of the keywords and of all fields but `fieldsShownElsewhere`. `names` has labels of fields that a profile
 * adds.
 */
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

/** Label of a field: a message of the portal, else its name with blanks. */
export function fieldName({ t }: PageContext, name: string): string {
  const keys = ['field', 'facet', 'sort'].map((kind) => `${kind}-${name}`)
  const known = keys.find((key) => t(key) !== key)
  if (known !== undefined) return t(known)
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Keywords by language, those of the page first. */
function keywords(context: PageContext, record: Fields): HtmlContent {
  const groups = Map.groupBy(
    listAt(record, 'keywords'),
    (keyword) => textAt(keyword, 'language') ?? '',
  )
  const parts = [...new Set([context.language, ...groups.keys()])].map((language) => {
    const words =
      groups.get(language)?.map((keyword) => shortText(textAt(keyword, 'label') ?? '')) ?? []
    const text = words.slice(0, mostValues).join(', ')
    if (language === '' || text === '') return text
    return html`<span lang="${language}" dir="${directionOf(language)}">${text}</span>`
  })
  return joinHtml(parts, ' · ')
}

/** Value of any type; empty where there is nothing to show. */
function valueText(context: PageContext, value: unknown, depth = 0): HtmlContent {
  if (depth > deepest) return undefined
  if (typeof value === 'boolean') return context.t(value ? 'yes' : 'no')
  if (typeof value === 'number') return context.formats.number(value)
  if (typeof value === 'string') return value && textValue(context, shortText(value, longestText))
  const memberText = (member: unknown) => valueText(context, member, depth + 1)
  if (Array.isArray(value)) return joinHtml(value.slice(0, mostValues).map(memberText), ' · ')
  return isJsonObject(value) ? objectText(context, value, memberText) : undefined
}

/** Text that may be a duration, a date or a URL. */
function textValue(context: PageContext, value: string): HtmlContent {
  const words = durationText(context.language, value)
  if (words !== '') return words
  if (/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}|$)/.test(value)) return context.formats.day(value) ?? value
  return safeAddress(value) === undefined
    ? html`<bdi>${value}</bdi>`
    : linkTo(value, lawName(context, value) ?? html`<code>${value}</code>`)
}

/** Name of a law of the EU since 2015 by its ELI: `Implementing Regulation (EU) 2023/138`. */
function lawName({ t }: PageContext, address: string): string | undefined {
  const [, kind, year = '', number] =
    /\/eli\/(reg|reg_impl|reg_del|dir)\/(20\d\d)\/(\d+)(?:\/|$)/.exec(address) ?? []
  return year < '2015' ? undefined : t(`law-${kind}`, { number: `${year}/${number}` })
}

/** Object: a period, a label (as a link, unless it has an IRI of a vocabulary of the EU), a language map, or its members. */
function objectText(
  context: PageContext,
  value: Fields,
  memberText: (value: unknown) => HtmlContent,
): HtmlContent {
  if ('gte' in value || 'lte' in value) return periodText(context, value)
  const label = context.labelOf(value, longestText)
  const address = value['resource'] ?? value['url'] ?? value['homepage']
  if (label) {
    const isCode = textOr(address)?.startsWith('http://publications.europa.eu/') === true
    return isCode ? label : linkTo(address, label)
  }
  const map = context.textOf(value)
  if (map && Object.values(value).every((member) => typeof member === 'string'))
    return context.inLanguage(map)
  const parts = Object.entries(value).map(([name, member]) => {
    const content = memberText(member)
    return !isEmpty(content) && html`${fieldName(context, name)}: ${content}`
  })
  return joinHtml(parts, '; ')
}

const dates = String.raw`(?:(?<years>\d+)Y)?(?:(?<months>\d+)M)?(?:(?<weeks>\d+)W)?(?:(?<days>\d+)D)?`
const times = String.raw`(?:T(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+)S)?)?`
const duration = new RegExp(`^P${dates}${times}$`)

/** Duration of ISO 8601 in words; empty for any other text. */
function durationText(language: string, value: string): string {
  const parts = Object.entries(duration.exec(value)?.groups ?? {})
  const amounts = parts
    .filter(([, amount]) => amount)
    .map(([unit, amount]) => [unit, Number(amount)])
  if (amounts.length === 0) return ''
  const words = new Intl.DurationFormat(localeOf(language), { style: 'long' })
  return words.format(Object.fromEntries(amounts))
}

/**
 * Period in words: `since 1987`, `until …`, `… – …`. A begin on the first day of a year and an end on the last day of one are
 * shown as the year, and equal ends once.
 */
export function periodText({ t, formats }: PageContext, value: Fields): HtmlContent {
  const [from, to] = [textOr(value['gte']), textOr(value['lte'])].map((text, at) => {
    const day = text?.replace('T00:00:00Z', '')
    // At the end of a period, an instant on the first day of a year means that year, too.
    const isYear = at === 0 ? /-01-01$/ : day === text ? /-12-31$/ : /-01-01$|-12-31$/
    return day !== undefined && isYear.test(day) ? day.slice(0, 4) : day
  })
  const [first, last] = [from, to].map((day) => day !== undefined && formats.day(day))
  if (first && last) return from === to ? first : html`${first} – ${last}`
  if (first) return html`${t('since')} ${first}`
  return last && html`${t('until')} ${last}`
}

/** Lines of a contact: name, mail address, telephone, postal address, at most three web pages. */
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
