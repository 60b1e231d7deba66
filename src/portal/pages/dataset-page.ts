/** The page of a dataset: what it is, how to get it, where it comes from, how good its metadata is. */

import type { Fields } from '../../text/json.ts'
import { citationOf, citationText } from '../citations.ts'
import {
  html,
  icon,
  joined,
  linkTo,
  safeAddress,
  type HtmlContent,
  type HtmlMarkup,
} from '../html.ts'
import { chosenText } from '../languages.ts'
import {
  crumbs,
  pathTo,
  panel,
  searchTo,
  pageSection,
  type PageContent,
  type PageContext,
} from '../page.ts'
import { distributionCard, licenceText, type LinkStates } from '../parts/distribution-card.ts'
import { entries, plainDescription, shortened } from '../parts/hits.ts'
import { leftOutCount } from '../parts/left-out.ts'
import { areaMap, mapBoxOf, boxText } from '../parts/map.ts'
import { contactLines, metadataRows, periodText } from '../parts/metadata.ts'
import { proseOf } from '../parts/prose.ts'
import { dimensionBars, mostPoints, qualityMark } from '../parts/quality.ts'
import { askJson, ServiceRefusal, type Port } from '../ports.ts'
import {
  valueAt,
  memberFields,
  formatsOf,
  inLanguage,
  labelFor,
  labelText,
  listed,
  textOr,
  plainTitle,
  recordScore,
  sharedLicence,
  titleText,
  wantedLanguages,
} from '../record.ts'
import { datasetSchema } from '../schema-org.ts'
import { isJsonObject } from '../../text/json.ts'

/** Distributions on the page; further ones are counted. */
const mostCards = 100
/** Milliseconds that data beside the record may take. */
const sideMs = 1500

/** A record of the search. Throws `ServiceRefusal` with 404 where there is none. */
export async function readRecord(
  { ports, signal, language }: PageContext,
  kind: string,
  id: string,
): Promise<Fields> {
  const body = await askJson(
    ports.search,
    `/${kind}/${encodeURIComponent(id)}?locale=${language}`,
    { signal },
  )
  return memberFields(memberFields(body)['result'])
}

/** Data beside the record: nothing where it is late, absent or wrong. */
export async function aside<Value>(
  context: PageContext,
  read: Promise<Value>,
): Promise<Value | undefined> {
  const late = AbortSignal.timeout(sideMs)
  const lateness = new Promise<undefined>((resolve) => {
    late.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  return Promise.race([
    read.catch((error: unknown) => {
      if (!(error instanceof ServiceRefusal))
        context.log.warn({ err: error, requestId: context.requestId }, 'portal.aside')
      return undefined
    }),
    lateness,
  ])
}

/** A JSON object beside the record. */
export const asideFields = (context: PageContext, port: Port, path: string) =>
  aside(context, askJson(port, path, { signal: context.signal }).then(memberFields))

/** Throws `ServiceRefusal` and `Failure`. */
export async function datasetPage(context: PageContext, id: string): Promise<PageContent> {
  const { ports, t } = context
  const path = `/datasets/${encodeURIComponent(id)}`
  const [record, measured, links, similar, leftOut] = await Promise.all([
    readRecord(context, 'datasets', id),
    asideFields(context, ports.metrics, path),
    asideFields(context, ports.metrics, `${path}/distributions`),
    asideFields(context, ports.search, `${path}/similar?limit=6&locale=${context.language}`),
    asideFields(context, ports.search, `${path}/findings`),
  ])
  const title = plainTitle(context, record)
  const description = chosenText(record['description'], wantedLanguages(context, record))
  const catalogue = memberFields(record['catalog'])
  return {
    title,
    section: 'data',
    description: shortened(plainDescription(description?.text ?? title), 150),
    canonical: `datasets/${encodeURIComponent(id)}`,
    head: headLinks(context, record),
    data: datasetSchema(context, record, address(context, id)),
    body: html`${
      catalogue['id'] !== undefined &&
      crumbs(context, [
        { href: pathTo(context, 'catalogues'), label: t('menu-catalogues') },
        {
          href: pathTo(context, 'catalogues', textOr(catalogue['id']) ?? ''),
          label: titleText(context, catalogue),
        },
      ])
    } <div class="with-aside"> <div> <header class="title"> <h1>${titleText(context, record)}</h1> ${byLine(context, record)} </header> <div class="prose close stack"> ${description ? inLanguage(context, description, proseOf(description.text)) : html`<p class="soft">${t('no-description')}</p>`}${tagLinks(context, record)} </div> ${facts(context, record)} ${pageSection('get', t('get-data'), distributions(context, record, linkStates(links)))} ${similarTo(context, similar)} ${pageSection('more', t('all-metadata'), metadataRows(context, record))} ${provenance(context, record, { measured, leftOut })} </div> <aside aria-label="${t('about-dataset')}"> ${place(context, record)} ${quality(context, record, measured)} ${contacts(context, record)} ${formatsPanel(context, id)} ${cite(context, record)} </aside> </div>`,
  }
}

const address = ({ root, language }: PageContext, id: string): string =>
  `${root}${language}/datasets/${encodeURIComponent(id)}`

function headLinks(context: PageContext, record: Fields): HtmlContent {
  const { root } = context
  const id = textOr(record['id']) ?? ''
  const iri = safeAddress(record['resource'])
  const rdf = [
    ['text/turtle', 'ttl'],
    ['application/ld+json', 'jsonld'],
  ] as const
  return [
    rdf.map(
      ([type, ending]) =>
        html`<link rel="alternate" type="${type}" href="${root}api/hub/repo/datasets/${encodeURIComponent(id)}.${ending}"/>`,
    ),
    iri !== undefined && html`<link rel="cite-as" href="${iri}" />`,
    html`<meta property="og:type" content="website" /><meta property="og:title" content="${plainTitle(context, record)}"/>`,
  ]
}

function byLine(context: PageContext, record: Fields): HtmlContent {
  const publisher = labelFor(context, record['publisher'])
  if (!publisher) return false
  const name = textOr(valueAt(record, 'publisher.name')) ?? publisher.text
  const href = searchTo(context, [['publisher', name]])
  return html`<p class="by"> ${context.t('published-by')} <a href="${href}">${inLanguage(context, publisher)}</a> </p>`
}

/** Themes, high value and keywords in the language of the page, each a search. */
function tagLinks(context: PageContext, record: Fields): HtmlContent {
  const { t, language } = context
  const tag = (label: HtmlContent, name: string, value: string) =>
    html`<a class="tag" href="${searchTo(context, [[name, value]])}">${label}</a>`
  const themes = listed(record['categories']).map((one) =>
    tag(labelText(context, one), 'categories', textOr(memberFields(one)['id']) ?? ''),
  )
  const keywords = listed(record['keywords']).map(memberFields)
  const own = keywords.filter(
    (one) => one['language'] === language || one['language'] === undefined,
  )
  const words = (own.length > 0 ? own : keywords)
    .slice(0, 12)
    .map((one) => tag(textOr(one['label']), 'keywords', textOr(one['id']) ?? ''))
  const all = [
    ...themes,
    record['is_hvd'] === true && tag(t('high-value-dataset'), 'hvd', 'true'),
    ...words,
  ]
  return all.some((one) => one !== false) && html`<p class="tags">${all}</p>`
}

function facts(context: PageContext, record: Fields): HtmlMarkup {
  const { t, formats } = context
  const period = listed(record['temporal']).map((one) => periodText(context, memberFields(one)))
  const rows: readonly (readonly [string, HtmlContent])[] = [
    [t('updated'), formats.day(record['modified'] ?? record['issued'])],
    [t('updates'), labelText(context, record['accrual_periodicity'])],
    [t('licence'), licenceText(context, sharedLicence(record))],
    [t('period'), period.length > 0 && joined(period.slice(0, 3), ', ')],
  ]
  return html`<dl class="facts close"> ${rows.map(
    ([name, value]) =>
      value !== undefined &&
      value !== false &&
      html`<div> <dt>${name}</dt> <dd>${value}</dd> </div>`,
  )} </dl>`
}

/** What each link of the distributions answered when it was last asked, by the ids of the distributions. */
function linkStates(answer: Fields | undefined): LinkStates {
  const all = listed(valueAt(answer, 'result.results')).map((parts) => {
    const members = listed(parts).map(memberFields)
    const id = textOr(members.map((one) => valueAt(one, 'info.distribution-id')).find(Boolean))
    return [id ?? '', members.flatMap((one) => listed(one['links'])).map(memberFields)] as const
  })
  return new Map(all)
}

function distributions(context: PageContext, record: Fields, states: LinkStates): HtmlContent {
  const { t } = context
  const all = listed(record['distributions']).map(memberFields)
  const landing = listed(record['landing_page']).map(
    (one) => memberFields(one)['resource'] ?? one,
  )[0]
  if (all.length === 0)
    return html`<p> ${t('no-download')}
      ${safeAddress(landing) !== undefined && linkTo(landing, t('landing-page'))} </p>`
  const hasSharedLicence = isJsonObject(sharedLicence(record))
  const cards = all
    .slice(0, mostCards)
    .map((one, index) =>
      distributionCard(context, one, { dataset: record, states, hasSharedLicence }, index + 1),
    )
  return html`${cards}${all.length > mostCards && html`<p class="close">${t('more-distributions', { count: all.length - mostCards })}</p>`}`
}

function similarTo(context: PageContext, answer: Fields | undefined): HtmlContent {
  const records = listed(valueAt(answer, 'result.results')).map(memberFields)
  if (records.length === 0) return false
  const below = (record: Fields) => [
    formatsOf(context, record).join(', '),
    context.formats.day(record['modified']),
  ]
  return pageSection('sim', context.t('similar'), entries(context, records, below, 'cards'))
}

function provenance(
  context: PageContext,
  record: Fields,
  { measured, leftOut }: Readonly<Record<'measured' | 'leftOut', Fields | undefined>>,
): HtmlContent {
  const { t, formats } = context
  const source = listed(record['landing_page']).map(
    (one) => memberFields(one)['resource'] ?? one,
  )[0]
  const host = safeAddress(source)
  const written = formats.moment(
    valueAt(record, 'catalog_record.modified') ?? valueAt(record, 'catalog_record.issued'),
  )
  const when = formats.moment(valueAt(measured, 'result.results.0.info.measured'))
  const leftOutLink = leftOutCount(context, textOr(record['id']) ?? '', leftOut)
  const steps = [
    host !== undefined &&
      html`<li>${t('source')}: ${linkTo(source, URL.parse(host)?.host ?? host)}</li>`,
    written && html`<li>${t('written')} ${written}</li>`,
    leftOutLink && html`<li>${leftOutLink}</li>`,
    when && html`<li>${t('measured')} ${when}</li>`,
  ]
  if (steps.every((one) => one === false || one === undefined)) return false
  return pageSection('prov', t('provenance'), html`<ol class="trail" role="list"> ${steps} </ol>`)
}

function place(context: PageContext, record: Fields): HtmlContent {
  const { t } = context
  const boxes = listed(record['spatial'])
    .map(mapBoxOf)
    .filter((one) => one !== undefined)
  const named = listed(record['spatial_resource'] ?? record['country']).slice(0, 20)
  const names = joined(
    named.map((one) => labelText(context, one)),
    ', ',
  )
  if (boxes.length === 0 && named.length === 0) return false
  const words = boxes.slice(0, 3).map(boxText).join('; ')
  const map = areaMap(boxes.slice(0, 50), t('map-of', { place: words }), {
    width: 320,
    height: 300,
  })
  return panel(t('place'), html`${map} <p class="small close">${joined([words, names], ' · ')}</p>`)
}

/** Points of the five dimensions, from the answer of the metrics. */
export const dimensionScores = (measured: Fields | undefined): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(memberFields(valueAt(measured, 'result.results.0.info.scores'))).map(
      ([name, score]) => [name, Number(score)],
    ),
  )

function quality(context: PageContext, record: Fields, measured: Fields | undefined): HtmlContent {
  const { t } = context
  const score = recordScore(record)
  if (score === undefined)
    return panel(t('metadata-quality'), html`<p class="soft">${t('not-measured')}</p>`)
  const scores = dimensionScores(measured)
  const bars =
    Object.values(scores).some((one) => one !== undefined) && dimensionBars(context, scores)
  return panel(
    t('metadata-quality'),
    html`<p class="score">
      <strong>${Math.round(score)}</strong><span class="soft">${t('of-points', { count: mostPoints })}</span>
      </p> <p>${qualityMark(context, score)}</p> ${bars} <p>
      <a href="${pathTo(context, 'datasets', textOr(record['id']) ?? '', 'quality')}">${t('see-missing')}</a>
      </p>`,
  )
}

function contacts(context: PageContext, record: Fields): HtmlContent {
  const { t, config } = context
  const publisher = labelFor(context, record['publisher'])
  const people = listed(record['contact_point']).map(memberFields).slice(0, 10)
  const homepage = valueAt(record, 'publisher.homepage')
  const mail = people.flatMap((one) => textOr(one['email']) ?? [])[0]
  const id = textOr(record['id']) ?? ''
  const fallback =
    mail === undefined
      ? undefined
      : `${mail.includes(':') ? mail : `mailto:${mail}`}?subject=${encodeURIComponent(id)}`
  const report = safeAddress(
    config.feedback === undefined
      ? fallback
      : filledIn(config.feedback, {
          id,
          title: plainTitle(context, record),
          iri: textOr(record['resource']) ?? '',
        }),
  )
  if (!publisher && people.length === 0)
    return panel(t('publisher-contact'), html`<p class="soft">${t('no-contact')}</p>`)
  return panel(
    t('publisher-contact'),
    html`<dl> ${
      publisher &&
      html`<div> <dt>${t('published-by')}</dt> <dd>${linkTo(homepage, inLanguage(context, publisher))}</dd> </div>`
    }${people.map(
      (one) => html`<div> <dt>${t('contact')}</dt> ${contactLines(context, one)} </div>`,
    )} </dl> ${report !== undefined && html`<p class="small close"><a href="${report}">${t('report-problem')}</a></p>`}`,
  )
}

const filledIn = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))

function formatsPanel(context: PageContext, id: string): HtmlMarkup {
  const base = `${context.root}api/hub/repo/datasets/${encodeURIComponent(id)}`
  const links = [
    ['Turtle', 'ttl'],
    ['JSON-LD', 'jsonld'],
    ['RDF/XML', 'rdf'],
    ['N-Triples', 'nt'],
  ] as const
  const schema = `${pathTo(context, 'datasets', id)}.schema.jsonld`
  const ckan = `${context.root}api/hub/search/ckan/package_show?id=${encodeURIComponent(id)}`
  return panel(
    context.t('record-as'),
    html`<p class="formats">
      ${links.map(([label, ending]) => html`<a href="${base}.${ending}">${label}</a>`)}<a href="${schema}">schema.org</a><a href="${ckan}">CKAN JSON</a>
      </p>`,
  )
}

function cite(context: PageContext, record: Fields): HtmlMarkup {
  const { t } = context
  const text = citationText(context, citationOf(context, record))
  const base = pathTo(context, 'datasets', textOr(record['id']) ?? '', 'cite')
  return panel(
    t('cite'),
    html`<p class="small" id="cite"><bdi>${text}</bdi></p> <p class="row">
      <button class="button small" type="button" data-copy="cite" hidden> ${icon('copy')}
      ${t('copy')}</button><a class="small" href="${base}.bib">BibTeX</a>
      <a class="small" href="${base}.ris">RIS</a> <a class="small" href="${base}.json">CSL-JSON</a> </p>`,
  )
}
