/** The page of a dataset: what it is, how to get it, where it comes from, how good its metadata is. */

import type { Fields } from '../../text/json.ts'
import { isJsonObject } from '../../text/json.ts'
import { citationOf, citationText } from '../citations.ts'
import type { PageContext } from '../context.ts'
import {
  html,
  type HtmlContent,
  type HtmlMarkup,
  icon,
  joined,
  linkTo,
  safeAddress,
} from '../html.ts'
import type { PageContent } from '../page.ts'
import { crumbs, pageSection, panel } from '../parts/blocks.ts'
import { distributionCard, licenceText, type LinkStates } from '../parts/distribution-card.ts'
import { entries, plainDescription, shortened } from '../parts/hits.ts'
import { leftOutCount } from '../parts/left-out.ts'
import { areaMap, boxesOf, boxText } from '../parts/map.ts'
import { contactLines, metadataRows, periodText } from '../parts/metadata.ts'
import { proseOf } from '../parts/prose.ts'
import { dimensionBars, mostPoints, qualityMark } from '../parts/quality.ts'
import {
  fieldsAt,
  listAt,
  listed,
  memberFields,
  recordScore,
  sharedLicence,
  textAt,
  textOr,
  valueAt,
} from '../record.ts'
import { datasetSchema } from '../schema-org.ts'

/** Distributions on the page; further ones are counted. */
const mostCards = 100
/** Throws `Failure`. */
export async function datasetPage(context: PageContext, id: string): Promise<PageContent> {
  const { t, inLanguage, pathTo, plainTitle, textOf, titleOf, readRecord } = context
  const path = `/datasets/${encodeURIComponent(id)}`
  const [record, measured, links, similar, leftOut] = await Promise.all([
    readRecord('datasets', id),
    context.askAside('metrics', path),
    context.askAside('metrics', `${path}/distributions`),
    context.askAside('search', `${path}/similar?limit=6&locale=${context.language}`),
    context.askAside('search', `${path}/findings`),
  ])
  const title = plainTitle(record)
  const description = textOf(record['description'], record)
  const catalogue = fieldsAt(record, 'catalog')
  return {
    title,
    section: 'data',
    description: shortened(plainDescription(description?.text ?? title), 150),
    canonical: `datasets/${encodeURIComponent(id)}`,
    record: { path: `datasets/${encodeURIComponent(id)}`, fields: record },
    data: datasetSchema(context, record, address(context, id)),
    body: html`${
      catalogue['id'] !== undefined &&
      crumbs(
        context,
        { href: pathTo('catalogues'), label: t('menu-catalogues') },
        {
          href: pathTo('catalogues', textAt(catalogue, 'id') ?? ''),
          label: titleOf(catalogue),
        },
      )
    } <div class="with-aside"> <div> <header class="title"> <h1>${titleOf(record)}</h1> ${byLine(context, record)} </header> <div class="prose close stack"> ${description ? inLanguage(description, proseOf(description.text)) : html`<p class="soft">${t('no-description')}</p>`}${tagLinks(context, record)} </div> ${facts(context, record)} ${pageSection('get', t('get-data'), distributions(context, record, linkStates(links)))} ${similarTo(context, similar)} ${pageSection('more', t('all-metadata'), metadataRows(context, record))} ${provenance(context, record, { measured, leftOut })} </div> <aside aria-label="${t('about-dataset')}"> ${place(context, record)} ${quality(context, record, measured)} ${contacts(context, record)} ${formatsPanel(context, id)} ${cite(context, record)} </aside> </div>`,
  }
}

const address = ({ root, language }: PageContext, id: string): string =>
  `${root}${language}/datasets/${encodeURIComponent(id)}`

function byLine(context: PageContext, record: Fields): HtmlContent {
  const { t, searchTo, labelOf, nameOf } = context
  const name = textAt(record, 'publisher.name') ?? nameOf(record['publisher'])
  if (name === undefined) return false
  const href = searchTo([['publisher', name]])
  return html`<p class="by">${t('published-by')} <a href="${href}">${labelOf(record['publisher'])}</a></p>`
}

/** Themes, high value and keywords in the language of the page, each a search. */
function tagLinks(context: PageContext, record: Fields): HtmlContent {
  const { t, language, labelOf, searchTo } = context
  const tag = (label: HtmlContent, name: string, value: string) =>
    html`<a class="tag" href="${searchTo([[name, value]])}">${label}</a>`
  const themes = listed(record['categories']).map((one) =>
    tag(labelOf(one), 'categories', textAt(one, 'id') ?? ''),
  )
  const keywords = listAt(record, 'keywords')
  const own = keywords.filter(
    (one) => one['language'] === language || one['language'] === undefined,
  )
  const words = (own.length > 0 ? own : keywords)
    .slice(0, 12)
    .map((one) => tag(textAt(one, 'label'), 'keywords', textAt(one, 'id') ?? ''))
  const all = [
    ...themes,
    record['is_hvd'] === true && tag(t('high-value-dataset'), 'hvd', 'true'),
    ...words,
  ]
  return all.some((one) => one !== false) && html`<p class="tags">${all}</p>`
}

function facts(context: PageContext, record: Fields): HtmlMarkup {
  const { t, formats, labelOf } = context
  const period = listed(record['temporal']).map((one) => periodText(context, memberFields(one)))
  const rows: readonly (readonly [string, HtmlContent])[] = [
    [t('updated'), formats.day(record['modified'] ?? record['issued'])],
    [t('updates'), labelOf(record['accrual_periodicity'])],
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
  const all = listAt(record, 'distributions')
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
  const records = listAt(answer, 'result.results')
  if (records.length === 0) return false
  const below = (record: Fields) => [
    context.formatsOf(record).join(', '),
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
  const leftOutLink = leftOutCount(context, textAt(record, 'id') ?? '', leftOut)
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
  const { t, labelOf } = context
  const boxes = boxesOf(record['spatial'])
  const named = listed(record['spatial_resource'] ?? record['country']).slice(0, 20)
  const names = joined(
    named.map((one) => labelOf(one)),
    ', ',
  )
  if (boxes.length === 0 && named.length === 0) return false
  const words = boxes
    .slice(0, 3)
    .map((box) => boxText(context, box))
    .join('; ')
  const label = t('map-of', { place: words })
  const map = areaMap(context, boxes.slice(0, 50), { label, width: 320, height: 300 })
  return panel(t('place'), html`${map} <p class="small close">${joined([words, names], ' · ')}</p>`)
}

/** Points of the five dimensions, from the answer of the metrics. */
export const dimensionScores = (measured: Fields | undefined): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(fieldsAt(measured, 'result.results.0.info.scores')).map(([name, score]) => [
      name,
      Number(score),
    ]),
  )

function quality(context: PageContext, record: Fields, measured: Fields | undefined): HtmlContent {
  const { t, pathTo } = context
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
      <a href="${pathTo('datasets', textAt(record, 'id') ?? '', 'quality')}">${t('see-missing')}</a>
      </p>`,
  )
}

function contacts(context: PageContext, record: Fields): HtmlContent {
  const { t, config, labelOf, plainTitle } = context
  const publisher = labelOf(record['publisher'])
  const people = listAt(record, 'contact_point').slice(0, 10)
  const homepage = valueAt(record, 'publisher.homepage')
  const mail = people.flatMap((one) => textAt(one, 'email') ?? [])[0]
  const id = textAt(record, 'id') ?? ''
  const fallback =
    mail === undefined
      ? undefined
      : `${mail.includes(':') ? mail : `mailto:${mail}`}?subject=${encodeURIComponent(id)}`
  const report = safeAddress(
    config.feedback === undefined
      ? fallback
      : filledIn(config.feedback, {
          id,
          title: plainTitle(record),
          iri: textAt(record, 'resource') ?? '',
        }),
  )
  if (!publisher && people.length === 0)
    return panel(t('publisher-contact'), html`<p class="soft">${t('no-contact')}</p>`)
  return panel(
    t('publisher-contact'),
    html`<dl> ${
      publisher &&
      html`<div> <dt>${t('published-by')}</dt> <dd>${linkTo(homepage, publisher)}</dd> </div>`
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
  const schema = `${context.pathTo('datasets', id)}.schema.jsonld`
  const ckan = `${context.root}api/hub/search/ckan/package_show?id=${encodeURIComponent(id)}`
  return panel(
    context.t('record-as'),
    html`<p class="formats">
      ${links.map(([label, ending]) => html`<a href="${base}.${ending}">${label}</a>`)}<a href="${schema}">schema.org</a><a href="${ckan}">CKAN JSON</a>
      </p>`,
  )
}

function cite(context: PageContext, record: Fields): HtmlMarkup {
  const { t, pathTo } = context
  const text = citationText(context, citationOf(context, record))
  const base = pathTo('datasets', textAt(record, 'id') ?? '', 'cite')
  return panel(
    t('cite'),
    html`<p class="small" id="cite"><bdi>${text}</bdi></p> <p class="row">
      <button class="button small" type="button" data-copy="cite" hidden> ${icon('copy')}
      ${t('copy')}</button><a class="small" href="${base}.bib">BibTeX</a>
      <a class="small" href="${base}.ris">RIS</a> <a class="small" href="${base}.json">CSL-JSON</a> </p>`,
  )
}
