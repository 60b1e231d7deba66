/** One distribution: what it is, whether its links work, how to get it. */

import { type Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, linkTo, safeAddress } from '../html.ts'
import { listed, memberFields, textAt, textOr } from '../record.ts'

/** What the links of each distribution answered when they were last asked, by its id. */
export type LinkStates = ReadonlyMap<string, readonly Fields[]>

type CardContext = {
  readonly dataset: Fields
  readonly states: LinkStates
  /** Whether the licence stands above all cards. */
  readonly hasSharedLicence: boolean
}

const isService = (distribution: Fields): boolean =>
  listed(distribution['access_service']).length > 0 &&
  listed(distribution['download_url']).length === 0

const formatName = (context: PageContext, distribution: Fields): string | undefined =>
  context.nameOf(distribution['format'])

export function distributionCard(
  context: PageContext,
  distribution: Fields,
  card: CardContext,
  number: number,
): HtmlMarkup {
  const { t, inLanguage, textOf } = context
  const format = formatName(context, distribution)
  const kind = isService(distribution) ? t('api') : (format ?? t('file'))
  const title = textOf(distribution['title'], card.dataset) ?? {
    text: t('file-n', { format: format ?? t('file'), number }),
  }
  return html`<article class="dist"> <div> <p class="kind">${kind}</p> <div>
    <h3>${inLanguage(title)}</h3> ${metaLines(context, distribution, card)} </div>
    <p class="actions">${actions(context, distribution, title.text)}</p> </div>
    ${preview(context, distribution, card.dataset)} </article>`
}

function metaLines(
  context: PageContext,
  distribution: Fields,
  { states, hasSharedLicence }: CardContext,
): HtmlMarkup {
  const { t, formats, licenceName } = context
  const size = Number(distribution['byte_size'])
  const changed = formats.day(distribution['modified'])
  const packed = /gzip|zip/.exec(
    textAt(distribution, 'media_type') ?? textAt(distribution, 'compress_format') ?? '',
  )?.[0]
  const parts = [
    size > 0 && html`<span><span class="vh">${t('size')}: </span>${formats.size(size)}</span>`,
    packed !== undefined && html`<span>${packed}</span>`,
    !hasSharedLicence &&
      html`<span>${licenceName(distribution['license']) ?? t('no-licence')}</span>`,
    changed && html`<span>${t('updated')} ${changed}</span>`,
    ...listed(distribution['access_url']).map(
      (one) => isText(one) && html`<bdi>${textOr(one)}</bdi>`,
    ),
  ]
  return html`<p class="meta">${parts}</p> <p class="meta">
    ${linkState(context, distribution, states.get(textAt(distribution, 'id') ?? ''))} </p>`
}

const signs = {
  good: 'circle-check',
  bad: 'circle-x',
  warn: 'triangle-alert',
  idle: 'circle-dashed',
} as const

/** Sources also write where the data is in words: `ask at the desk`. */
const isText = (address: unknown): boolean =>
  textOr(address) !== undefined && safeAddress(address) === undefined

/** What came of asking the addresses; codes of 1000 and more are ours (`reference` of the metrics). */
function linkState(
  context: PageContext,
  distribution: Fields,
  links: readonly Fields[] = [],
): HtmlMarkup {
  const { t, formats } = context
  const downloads = links.filter(({ type }) => type === 'downloadUrl')
  // The best of several counts, as it does for the score.
  const [link] = (downloads.length > 0 ? downloads : links).toSorted(
    (a, b) => Number(a['statusCode']) - Number(b['statusCode']),
  )
  const code = Number(link?.['statusCode'])
  const shown = (kind: keyof typeof signs, text: HtmlContent) =>
    html`<span class="state ${kind}">${icon(signs[kind])} ${text}</span>`
  if (Number.isNaN(code))
    return shown('idle', t(isService(distribution) ? 'service-unchecked' : 'not-checked'))
  const checked = formats.day(link?.['checked'])
  const since = formats.day(link?.['failingSince'])
  const when = html`${since && html`, ${t('since')} ${since}`}${checked && html`, ${t('checked')} ${checked}`}`
  if (code >= 1000)
    return shown(
      'bad',
      html`${t(`link-${code}`) === `link-${code}` ? t('link-unreachable') : t(`link-${code}`)}${when}`,
    )
  if (code >= 400) return shown('bad', html`${t('link-broken', { code })}${when}`)
  return shown('good', html`${t(code >= 300 ? 'link-redirects' : 'link-works')}${when}`)
}

function actions(context: PageContext, distribution: Fields, title: string): HtmlContent {
  const { t } = context
  const button = (address: unknown, label: string, style: string, sign: string) => {
    const safe = safeAddress(address)
    return (
      safe !== undefined &&
      html`<a class="button ${style} small" href="${safe}">${icon(sign)}${label}<span class="vh">: ${title}</span></a>`
    )
  }
  const [download] = listed(distribution['download_url'])
  const [access] = listed(distribution['access_url'])
  const service = memberFields(listed(distribution['access_service'])[0])
  const [endpoint] = listed(service['endpoint_url'])
  const [description] = listed(service['endpoint_description'])
  if (isService(distribution))
    return [
      button(endpoint ?? access, t('open-service'), 'primary', 'external-link'),
      button(description, t('api-description'), '', 'file-text'),
    ]
  return [
    button(download, t('download'), 'primary', 'download'),
    access !== download &&
      button(access, t('web-page'), download === undefined ? 'primary' : '', 'external-link'),
  ]
}

function preview(context: PageContext, distribution: Fields, dataset: Fields): HtmlContent {
  const { t, config, pathTo } = context
  const [download] = listed(distribution['download_url'])
  if (!config.preview || isService(distribution) || safeAddress(download) === undefined)
    return false
  const address = pathTo(
    'datasets',
    textAt(dataset, 'id') ?? '',
    'distributions',
    textAt(distribution, 'id') ?? '',
    'preview',
  )
  return html`<details data-preview="${address}"> <summary>${t('preview')}</summary>
    <p class="small"><a href="${address}" rel="nofollow">${t('open-preview')}</a></p> </details>`
}

/** The licence of all distributions, or what there is to say where they have none in common. */
export function licenceText(context: PageContext, licence: unknown): HtmlContent {
  if (licence === 'none') return context.t('no-licence')
  if (licence === 'different') return context.t('different-licences')
  const fields = memberFields(licence)
  return linkTo(
    fields['la_url'] ?? fields['resource'],
    context.licenceName(licence) ?? '',
    'license',
  )
}
