/** Any value of a record for people: labels, links, dates, sizes, languages, places. */

import { isJsonObject, type Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, joined, linkTo, safeAddress } from '../html.ts'
import { directionOf, localeOf } from '../languages.ts'
import { listAt, listed, textAt, textOr } from '../record.ts'

/** Values of one field that are shown. */
const mostValues = 100
const deepest = 4

/** Fields that the page shows in places of their own, or that are about the index. */
const elsewhere: ReadonlySet<string> = new Set([
  'index',
  'id',
  'title',
  'description',
  'distributions',
  'catalog',
  'quality_meas',
  'translation_meta',
  'catalog_record',
  'publisher',
  'contact_point',
  'spatial',
  'keywords',
  'is_hvd',
  'categories',
  'count',
])

/** Rows of everything that a record says and no other part of its page shows; `names` are what an own profile calls its fields. */
export function metadataRows(
  context: PageContext,
  record: Fields,
  names: ReadonlyMap<string, string> = new Map(),
): HtmlMarkup {
  const rows = Object.entries(record).flatMap(([name, value]) => {
    if (elsewhere.has(name)) return []
    const shown = valueText(context, value)
    return shown === undefined ? [] : [row(names.get(name) ?? fieldName(context, name), shown)]
  })
  return html`<dl class="pairs">${keywordRow(context, record)}${rows}</dl>`
}

const row = (name: string, value: HtmlContent): HtmlMarkup =>
  html`<div> <dt>${name}</dt> <dd>${value}</dd> </div>`

/** A name of the profile in words: ours where there are some. */
function fieldName({ t }: PageContext, name: string): string {
  const key = `field-${name}`
  const known = t(key)
  if (known !== key) return known
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Keywords by language, those of the page first. */
function keywordRow(context: PageContext, record: Fields): HtmlContent {
  const all = listAt(record, 'keywords')
  if (all.length === 0) return false
  const groups = Map.groupBy(all, ({ language }) => textOr(language) ?? '')
  const order = [context.language, ...groups.keys()]
  const parts = [...new Set(order)].flatMap((language) => {
    const words = groups.get(language)?.flatMap(({ label }) => textOr(label) ?? [])
    if (!words) return []
    const text = words.slice(0, mostValues).join(', ')
    return language === ''
      ? text
      : html`<span lang="${language}" dir="${directionOf(language)}">${text}</span>`
  })
  return row(context.t('field-keywords'), joined(parts, ' · '))
}

/** `undefined` where there is nothing to show. */
function valueText(context: PageContext, value: unknown, depth = 0): HtmlContent | undefined {
  if (value === undefined || value === null || value === '' || depth > deepest) return undefined
  if (typeof value === 'boolean') return context.t(value ? 'yes' : 'no')
  if (typeof value === 'number') return context.formats.number(value)
  if (typeof value === 'string') return textValue(context, value)
  if (Array.isArray(value)) {
    const parts = value
      .slice(0, mostValues)
      .flatMap((one: unknown) => valueText(context, one, depth + 1) ?? [])
    return parts.length === 0 ? undefined : joined(parts, ' · ')
  }
  return isJsonObject(value) ? objectText(context, value, depth) : undefined
}

function textValue(context: PageContext, value: string): HtmlContent {
  const duration = durationText(context, value)
  if (duration !== undefined) return duration
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)) return context.formats.day(value) ?? value
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

function objectText(context: PageContext, value: Fields, depth: number): HtmlContent | undefined {
  if ('gte' in value || 'lte' in value) return periodText(context, value)
  const label = context.labelOf(value)
  const address = value['resource'] ?? value['url'] ?? value['homepage']
  if (label) {
    const isCode = textOr(address)?.startsWith('http://publications.europa.eu/') === true
    return isCode ? label : linkTo(address, label)
  }
  const map = context.textOf(value)
  if (map && Object.values(value).every((one) => typeof one === 'string'))
    return context.inLanguage(map)
  const parts = Object.entries(value).flatMap(([name, one]) => {
    const shown = valueText(context, one, depth + 1)
    return shown === undefined ? [] : html`${fieldName(context, name)}: ${shown}`
  })
  return parts.length === 0 ? undefined : joined(parts, '; ')
}

/** A duration of ISO 8601 in words; `undefined` for every other text. */
function durationText({ language }: PageContext, value: string): string | undefined {
  const [whole, years, months, weeks, days, hours, minutes, seconds] =
    /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(
      value,
    ) ?? []
  const parts = { years, months, weeks, days, hours, minutes, seconds }
  const given = Object.entries(parts).filter(([, amount]) => amount !== undefined)
  if (whole === undefined || given.length === 0) return undefined
  return given
    .map(([unit, amount]) =>
      new Intl.NumberFormat(localeOf(language), {
        style: 'unit',
        unit: unit.slice(0, -1),
        unitDisplay: 'long',
      }).format(Number(amount)),
    )
    .join(' ')
}

/** `since 1987`, `until …`, `… – …`; a first of January stands for its year. */
export function periodText({ t, formats }: PageContext, value: Fields): HtmlContent | undefined {
  const [from, to] = [value['gte'], value['lte']].map((one) =>
    /^\d{4}-01-01(?:T00:00:00)?/.test(textOr(one) ?? '')
      ? textOr(one)?.slice(0, 4)
      : formats.day(one),
  )
  if (from && to) return html`${from} – ${to}`
  if (from) return html`${t('since')} ${from}`
  return to && html`${t('until')} ${to}`
}

/** Name, addresses and telephone of somebody to ask. */
export function contactLines(context: PageContext, contact: Fields): HtmlContent {
  const { t, labelOf } = context
  const mail = textAt(contact, 'email')
  const telephone = textAt(contact, 'telephone')
  const lines = [
    labelOf(contact),
    mail !== undefined &&
      linkTo(mail.includes(':') ? mail : `mailto:${mail}`, mail.replace(/^mailto:/, '')),
    telephone !== undefined &&
      linkTo(
        telephone.includes(':') ? telephone : `tel:${telephone}`,
        telephone.replace(/^tel:/, ''),
      ),
    textAt(contact, 'address'),
    ...listed(contact['url'])
      .slice(0, 3)
      .map((url) => linkTo(url, t('web-page'))),
  ]
  return lines.map((line) => line !== undefined && line !== false && html`<dd>${line}</dd>`)
}
