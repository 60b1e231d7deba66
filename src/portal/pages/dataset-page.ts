/** Page of a dataset: description, distributions, related datasets, all metadata, provenance, quality. */

import { type Fields, listed, textAt, valueAt } from '../../text/json.ts'
import { citationOf, citationText } from '../citations.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, icon, joinHtml, linkTo, safeAddress } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { breadcrumbs, pageSection, pairList, panel, rdfLinks } from '../parts/blocks.ts'
import { distributionCards, licenceText } from '../parts/distribution-cards.ts'
import { datasetList, plainDescription, truncateAtWord } from '../parts/hits.ts'
import { leftOutCount } from '../parts/findings.ts'
import { areaMap, areasOf, boxText } from '../parts/map.ts'
import { contactLines, metadataRows, periodText } from '../parts/metadata.ts'
import { sanitizedProse } from '../parts/prose.ts'
import { dimensionBars, scoreText } from '../parts/quality.ts'
import { relatedSections, linkRelatedDatasets } from '../parts/related.ts'
import { fieldsAt, listAt, recordScore, textsAt } from '../record.ts'
import { datasetSchema } from '../schema-org.ts'

const [mostKeywords, mostContacts] = [12, 10]

/** Page of a dataset. Rejects with `Failure`. */
export async function datasetPage(context: PageContext, id: string): Promise<PageContent> {
  const { root, language, readRecord, askOptional } = context
  const path = `datasets/${encodeURIComponent(id)}`
  const [record, measured, links, similar, leftOut, related] = await Promise.all([
    readRecord('datasets', id),
    askOptional('metrics', `/${path}`),
    askOptional('metrics', `/${path}/distributions`),
    askOptional('search', `/${path}/similar?limit=6&locale=${language}`),
    askOptional('search', `/${path}/findings`),
    askOptional('repository', `/${path}/related`),
  ])
  return {
    ...datasetView(context, record, { measured, links, similar, leftOut, related }),
    canonical: path,
    record: { path, fields: record },
    data: datasetSchema(context, record, `${root}${language}/${path}`),
  }
}

/** Answers of the services about a published dataset; absent where they have none. */
type DatasetAnswers = Readonly<
  Record<'measured' | 'links' | 'similar' | 'leftOut' | 'related', Fields | undefined>
>

/** Page made of the record of a dataset; without `answers` the record is not published, and what needs its address is left out. */
export function datasetView(
  context: PageContext,
  record: Fields,
  answers?: DatasetAnswers,
): PageContent {
  const { t, pathTo, plainTitle, textOf, titleOf } = context
  const { measured, links, similar, leftOut, related } = answers ?? {}
  const title = plainTitle(record)
  const description = textOf(record['description'], record)
  const catalogue = fieldsAt(record, 'catalog')
  const steps = [
    { href: pathTo('catalogues'), label: t('menu-catalogues') },
    { href: pathTo('catalogues', textAt(catalogue, 'id') ?? ''), label: titleOf(catalogue) },
  ]
  return {
    title,
    section: 'data',
    description: truncateAtWord(plainDescription(description?.text ?? title), 150),
    body: html`${breadcrumbs(context, ...steps)}<div class="with-aside"><div>
      <header class="title"><h1>${titleOf(record)}</h1> ${byLine(context, record)}</header>
      <div class="prose close stack">${
        description
          ? context.inLanguage(description, sanitizedProse(description.text))
          : html`<p class="soft">${t('no-description')}</p>`
      }${tagLinks(context, record)}</div> ${facts(context, record)}
      ${pageSection('get', t('get-data'), distributionCards(context, record, links))} ${relatedSections(context, related)}
      ${similarTo(context, similar)}
      ${pageSection('more', t('all-metadata'), metadataRows(context, linkRelatedDatasets(context, record, related)))}
      ${provenance(context, record, measured, leftOut)}</div>
      <aside aria-label="${t('about-dataset')}">${place(context, record)} ${answers && quality(context, record, measured)}
      ${contacts(context, record)} ${answers && [formatsPanel(context, record), cite(context, record)]}</aside></div>`,
  }
}

function byLine({ t, searchTo, labelOf, nameOf }: PageContext, record: Fields): HtmlContent {
  const name = textAt(record, 'publisher.name') ?? nameOf(record['publisher'])
  if (name === undefined) return false
  const href = searchTo([['publisher', name]])
  return html`<p class="by">${t('published-by')} <a href="${href}">${labelOf(record['publisher'])}</a></p>`
}

/** Themes, the mark of high-value datasets and keywords, each a link to a search. */
function tagLinks(context: PageContext, record: Fields): HtmlContent {
  const { t, keywordsOf, labelOf, searchTo } = context
  const tag = (facet: string, value: unknown, label: HtmlContent) =>
    html`<a class="tag" href="${searchTo([[facet, textAt(value, 'id') ?? 'true']])}">${label}</a>`
  const keywords = keywordsOf(record).slice(0, mostKeywords)
  const tags = [
    ...listed(record['categories']).map((category) =>
      tag('categories', category, labelOf(category)),
    ),
    ...(record['is_hvd'] === true ? [tag('hvd', true, t('high-value-dataset'))] : []),
    ...keywords.map((keyword) => tag('keywords', keyword, textAt(keyword, 'label'))),
  ]
  return tags.length > 0 && html`<p class="tags">${tags}</p>`
}

function facts(context: PageContext, record: Fields): HtmlContent {
  const { t, formats, labelOf } = context
  const periods = listAt(record, 'temporal').map((period) => periodText(context, period))
  return pairList(
    [
      [t('updated'), formats.day(record['modified'] ?? record['issued'])],
      [t('updates'), labelOf(record['accrual_periodicity'])],
      [t('licence'), licenceText(context, record)],
      [t('period'), joinHtml(periods.slice(0, 3), ', ')],
    ],
    'facts close',
  )
}

function similarTo(context: PageContext, answer: Fields | undefined): HtmlContent {
  const { t, formats, formatsOf } = context
  const records = listAt(answer, 'result.results')
  const below = (record: Fields) => [formatsOf(record).join(', '), formats.day(record['modified'])]
  const cards = datasetList(context, records, below, 'cards')
  return records.length > 0 && pageSection('sim', t('similar'), cards)
}

function provenance(context: PageContext, record: Fields, measured?: Fields, leftOut?: Fields) {
  const { t, formats } = context
  const [source] = textsAt(record, 'landing_page')
  const host = URL.parse(safeAddress(source) ?? '')?.host
  const { modified, issued } = fieldsAt(record, 'catalog_record')
  const writtenAt = formats.moment(modified ?? issued)
  const measuredAt = formats.moment(valueAt(measured, 'result.results.0.info.measured'))
  const steps = [
    host !== undefined && html`${t('source')}: ${linkTo(source, host)}`,
    writtenAt && html`${t('written')} ${writtenAt}`,
    leftOutCount(context, textAt(record, 'id') ?? '', leftOut),
    measuredAt && html`${t('measured')} ${measuredAt}`,
  ].filter(Boolean)
  const list = html`<ol class="trail" role="list">${steps.map((step) => html`<li>${step}</li>`)}</ol>`
  return steps.length > 0 && pageSection('prov', t('provenance'), list)
}

function place(context: PageContext, record: Fields): HtmlContent {
  const { t, labelOf } = context
  const boxes = areasOf(record['spatial'])
  const placeNames = listed(record['spatial_resource'] ?? record['country']).slice(0, 20)
  if (boxes.length === 0 && placeNames.length === 0) return false
  const words = boxes.slice(0, 3).map((box) => boxText(context, box))
  const label = t('map-of', { place: words.join('; ') })
  const map = areaMap(context, boxes.slice(0, 50), { label, width: 320, height: 300 })
  const names = joinHtml(
    placeNames.map((placeName) => labelOf(placeName)),
    ', ',
  )
  return panel(
    t('place'),
    html`${map} <p class="small close">${joinHtml([words.join('; '), names], ' · ')}</p>`,
  )
}

function quality(context: PageContext, record: Fields, measured: Fields | undefined): HtmlContent {
  const { t, pathTo } = context
  const score = recordScore(record)
  if (score === undefined)
    return panel(t('metadata-quality'), html`<p class="soft">${t('not-measured')}</p>`)
  const scores = fieldsAt(measured, 'result.results.0.info.scores')
  const reportPath = pathTo('datasets', textAt(record, 'id') ?? '', 'quality')
  return panel(
    t('metadata-quality'),
    html`${scoreText(context, score)} ${Object.keys(scores).length > 0 && dimensionBars(context, scores)}
      <p><a href="${reportPath}">${t('see-missing')}</a></p>`,
  )
}

function contacts(context: PageContext, record: Fields): HtmlContent {
  const { t, labelOf } = context
  const publisher = labelOf(record['publisher'])
  const homepage = valueAt(record, 'publisher.homepage')
  const people = listAt(record, 'contact_point').slice(0, mostContacts)
  const report = safeAddress(reportAddress(context, record, people))
  const rows = [
    [t('published-by'), publisher && linkTo(homepage, publisher)] as const,
    ...people.map((person) => [t('contact'), contactLines(context, person)] as const),
  ]
  return panel(
    t('publisher-contact'),
    html`${pairList(rows, 'contacts') || html`<p class="soft">${t('no-contact')}</p>`}
      ${report !== undefined && html`<p class="small close"><a href="${report}">${t('report-problem')}</a></p>`}`,
  )
}

/**
 * Address for reports of problems: the configured one with `{id}`, `{iri}` and `{title}` filled in, else the first mail address
 * of a contact.
 */
function reportAddress(context: PageContext, record: Fields, people: readonly Fields[]) {
  const { config, plainTitle } = context
  const { id, resource: iri } = record
  const values = { id, iri, title: plainTitle(record) }
  const mail = people.flatMap((person) => textAt(person, 'email') ?? [])[0]
  const contact = mail && `${mail.includes(':') ? mail : `mailto:${mail}`}?subject={id}`
  return (config.feedback ?? contact)?.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textAt(values, name) ?? ''),
  )
}

function formatsPanel({ t, root, pathTo }: PageContext, record: Fields): HtmlContent {
  const id = textAt(record, 'id') ?? ''
  const name = encodeURIComponent(id)
  return panel(
    t('record-as'),
    html`<p class="formats">${rdfLinks(`${root}api/hub/repo/datasets/${name}`)}
      <a href="${pathTo('datasets', id)}.schema.jsonld">schema.org</a>
      <a href="${root}api/hub/search/ckan/package_show?id=${name}">CKAN JSON</a></p>`,
  )
}

function cite(context: PageContext, record: Fields): HtmlContent {
  const { t, pathTo } = context
  const text = citationText(context, citationOf(context, record))
  const base = pathTo('datasets', textAt(record, 'id') ?? '', 'cite')
  return panel(
    t('cite'),
    html`<p class="small" id="cite"><bdi>${text}</bdi></p>
      <p class="row"><button class="button small" type="button" data-copy="cite" hidden>${icon('copy')} ${t('copy')}</button>
      <a class="small" href="${base}.bib">BibTeX</a> <a class="small" href="${base}.ris">RIS</a>
      <a class="small" href="${base}.json">CSL-JSON</a></p>`,
  )
}
