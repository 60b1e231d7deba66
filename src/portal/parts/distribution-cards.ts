/** Cards of the distributions of a dataset: format, facts, state of the links, buttons to download, preview. */

import { type Fields, isJsonObject, listed, textAt, valueAt } from '../../text/json.ts'
import { mostEntries, type PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, linkTo, safeAddress } from '../html.ts'
import {
  distributionCount,
  distributionFigures,
  listAt,
  sharedLicence,
  textsAt,
} from '../record.ts'
import { rdfLinks, stateBadge } from './blocks.ts'

/** Facts of the dataset that a card needs. */
type CardContext = {
  readonly dataset: Fields
  /** Whether the page shows one licence for all distributions, which the cards leave out. */
  readonly hasSharedLicence: boolean
  /** Number of the distribution from 1, part of the name of one without a title. */
  readonly number: number
}

/**
 * Card for each distribution, at most `mostEntries`, then links to all of them; without any a message. `answer` is that of the
 * metrics to `/datasets/{id}/distributions`, with the last status of each link.
 */
export function distributionCards(
  context: PageContext,
  dataset: Fields,
  answer: Fields | undefined,
): HtmlContent {
  const { t, root } = context
  const distributions = listAt(dataset, 'distributions')
  if (distributions.length === 0) {
    const [page] = textsAt(dataset, 'landing_page')
    return html`<p>${t('no-download')} ${safeAddress(page) !== undefined && linkTo(page, t('landing-page'))}</p>`
  }
  const links = new Map(
    distributionFigures(answer).map(
      (file) => [textAt(file, 'info.distribution-id'), listAt(file, 'links')] as const,
    ),
  )
  const hasSharedLicence = isJsonObject(sharedLicence(dataset))
  const cards = distributions.slice(0, mostEntries).map((distribution, at) => {
    const fileLinks = links.get(textAt(distribution, 'id')) ?? []
    return distributionCard(context, distribution, fileLinks, {
      dataset,
      hasSharedLicence,
      number: at + 1,
    })
  })
  const omitted = distributionCount(dataset) - mostEntries
  const id = encodeURIComponent(textAt(dataset, 'id') ?? '')
  const files = html`${rdfLinks(`${root}api/hub/repo/datasets/${id}`)} <a href="${root}api/hub/search/datasets/${id}">JSON</a>`
  const count = { count: omitted }
  return [
    cards,
    omitted > 0 &&
      html`<p class="formats close">${t('more-distributions', count)} ${t('all-of-them')} ${files}</p>`,
  ]
}

function distributionCard(
  context: PageContext,
  distribution: Fields,
  links: readonly Fields[],
  card: CardContext,
): HtmlMarkup {
  const { t, inLanguage, nameOf, textOf } = context
  const { isService, offered } = offers(distribution)
  const format = nameOf(distribution['format'])
  const { dataset, number } = card
  const unnamed = { text: t('file-n', { format: format ?? 'none', number }) }
  const ofService = valueAt(listed(distribution['access_service'])[0], 'title')
  const title = textOf(distribution['title'], dataset) ?? textOf(ofService, dataset) ?? unnamed
  const buttons = offered.map(({ href, label, iconName }, at) => {
    const style = at === 0 ? 'button primary small' : 'button small'
    return html`<a class="${style}" href="${href}">${icon(iconName)}${t(label)}<span class="vh">: ${title.text}</span></a>`
  })
  return html`<article class="dist"><div><p class="kind">${isService ? t('api') : (format ?? t('file'))}</p>
    <div><h3>${inLanguage(title)}</h3><p class="meta">${facts(context, distribution, card)}</p>
    <p class="meta">${linkState(context, isService, links)}</p></div><p class="actions">${buttons}</p></div>
    ${!isService && preview(context, distribution, dataset)}</article>`
}

/** Addresses of the data with their labels and icons, the best first, and whether the distribution is a service. */
function offers(distribution: Fields) {
  const first = (value: unknown, path: string) => listed(valueAt(value, path))[0]
  const [download, access] = [
    first(distribution, 'download_url'),
    first(distribution, 'access_url'),
  ]
  const service = first(distribution, 'access_service')
  const isService = service !== undefined && download === undefined
  const candidates: readonly (readonly [address: unknown, label: string, iconName: string])[] = [
    [download, 'download', 'download'],
    [isService && (first(service, 'endpoint_url') ?? access), 'open-service', 'external-link'],
    [isService && first(service, 'endpoint_description'), 'api-description', 'file-text'],
    [!isService && access !== download && access, 'web-page', 'external-link'],
  ]
  const offered = candidates.flatMap(([address, label, iconName]) => {
    const href = safeAddress(address)
    return href === undefined ? [] : [{ href, label, iconName }]
  })
  return { isService, offered }
}

/** Statement of rights, as a link where it is a URL. */
const rightsText = (text: string): HtmlContent =>
  safeAddress(text) === undefined ? html`<bdi>${text}</bdi>` : linkTo(text, text)

/** Name of a licence, with a note where the distribution inherits it from the dataset. */
const licenceOf = ({ t, licenceName }: PageContext, licence: unknown): HtmlContent => {
  const name = licenceName(licence)
  const isInherited = valueAt(licence, 'inherited') === true
  return isInherited ? html`${name} (${t('of-the-dataset')})` : name
}

/** Facts of a distribution: size, compression, licence, rights, date of change. */
function facts(
  context: PageContext,
  distribution: Fields,
  { hasSharedLicence }: CardContext,
): HtmlContent {
  const { t, formats, nameOf } = context
  const rights = nameOf(distribution['rights'], 2000)
  const size = Number(distribution['byte_size'])
  const changed = formats.day(distribution['modified'])
  const type = textAt(distribution, 'media_type') ?? textAt(distribution, 'compress_format')
  // Some sources write a text in place of an access URL: `ask at the desk`.
  const texts = textsAt(distribution, 'access_url').filter(
    (text) => safeAddress(text) === undefined,
  )
  return [
    size > 0 && html`<span class="vh">${t('size')}: </span>${formats.size(size)}`,
    /gzip|zip/.exec(type ?? '')?.[0],
    !hasSharedLicence && (licenceOf(context, distribution['license']) ?? t('no-licence')),
    rights !== undefined && html`<span class="vh">${t('rights')}: </span>${rightsText(rights)}`,
    changed && html`${t('updated')} ${changed}`,
    ...texts.map((text) => html`<bdi>${text}</bdi>`),
  ].map((fact) => fact && html`<span>${fact}</span>`)
}

/**
 * State of the links by their last check; status codes from 1000 on are those of the metrics for failed connections and invalid
 * URLs.
 */
function linkState({ t, formats }: PageContext, isService: boolean, links: readonly Fields[]) {
  const downloads = links.filter(({ type }) => type === 'downloadUrl')
  // Download links count before others, and the best of several counts, as in the score.
  const [link] = (downloads.length > 0 ? downloads : links).toSorted(
    (a, b) => Number(a['statusCode']) - Number(b['statusCode']),
  )
  if (!link) return stateBadge('idle', t(isService ? 'service-unchecked' : 'not-checked'))
  const code = Number(link['statusCode'])
  const dated = (label: string, member: string) => {
    const day = formats.day(link[member])
    return day && html`, ${t(label)} ${day}`
  }
  const when = html`${dated('since', 'failingSince')}${dated('checked', 'checked')}`
  if (code < 400)
    return stateBadge('good', html`${t(code < 300 ? 'link-works' : 'link-redirects')}${when}`)
  const cause = code < 1000 ? 'link-broken' : code === 1300 ? 'link-invalid' : 'link-unreachable'
  return stateBadge('bad', html`${t(cause, { code })}${when}`)
}

const tableTypes =
  /\b(?:csv|tsv|xlsx|geojson|json|jsonl|ndjson|tab-separated-values|spreadsheetml)\b/i

/** Endings of files that previews cannot read. Other endings decide nothing: `/get.php`, `/v1.2`. */
const otherEndings =
  /\.(?:pdf|html?|docx?|xls|odt|ods|pptx?|xml|rdf|ttl|nt|kml|kmz|gml|gpkg|shp|tiff?|png|jpe?g|svg|nc|grib2?|las|laz|dwg|dxf|mdb|sqlite|parquet|7z|rar|tar|tgz|mp4|mp3)(?:\.(?:gz|zip))?$/i

/** Whether previews may be able to read a file: by its format, media type or ending, or because none of them is known. */
function isTable(distribution: Fields): boolean {
  const path = URL.parse(textsAt(distribution, 'download_url')[0] ?? '')?.pathname ?? ''
  const names = ['format.id', 'format.label', 'media_type'].flatMap(
    (name) => textAt(distribution, name) ?? [],
  )
  const ending = path.slice(path.lastIndexOf('/')).replace(/\.(?:gz|zip)$/i, '')
  if ([...names, ending].some((name) => tableTypes.test(name.replaceAll('_', ' ')))) return true
  return names.length === 0 && !otherEndings.test(path)
}

/** Collapsed preview, whose content a script fetches when it is opened; nothing where there is none of the file. */
function preview(context: PageContext, distribution: Fields, dataset: Fields): HtmlContent {
  const { t, config, pathTo } = context
  const [download] = listed(distribution['download_url'])
  if (!config.preview || safeAddress(download) === undefined || !isTable(distribution)) return false
  const [id, distributionId] = [textAt(dataset, 'id') ?? '', textAt(distribution, 'id') ?? '']
  const address = pathTo('datasets', id, 'distributions', distributionId, 'preview')
  return html`<details data-preview="${address}"><summary>${t('preview')}</summary>
    <p class="small"><a href="${address}" rel="nofollow">${t('open-preview')}</a></p></details>`
}

/** Licence of the dataset (`sharedLicence`), as a link where it has an address; else a message: different ones, or none. */
export function licenceText(context: PageContext, dataset: Fields): HtmlContent {
  const { t } = context
  const licence = sharedLicence(dataset)
  if (licence === 'none') return t('no-licence')
  if (licence === 'different') return t('different-licences')
  const address = valueAt(licence, 'la_url') ?? valueAt(licence, 'resource')
  return linkTo(address, licenceOf(context, licence) ?? '', 'license')
}
