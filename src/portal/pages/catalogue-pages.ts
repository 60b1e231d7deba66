/** Catalogues: the list of them, and each with its datasets, its quality and its dumps. */

import type { Fields } from '../../text/json.ts'
import { html, icon, joined, linkTo, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { chosenText } from '../languages.ts'
import {
  crumbs,
  pathTo,
  searchTo,
  type PageContent,
  type PageContext,
  linkedSection,
  panel,
} from '../page.ts'
import { entries, plainDescription, shortened } from '../parts/hits.ts'
import { pagedList } from '../parts/paged-list.ts'
import { proseOf } from '../parts/prose.ts'
import { qualityMark } from '../parts/quality.ts'
import {
  valueAt,
  memberFields,
  formatsOf,
  inLanguage,
  labelFor,
  labelText,
  listed,
  plainTitle,
  titleText,
  wantedLanguages,
} from '../record.ts'
import { searchRecords, type FacetChoice, type Found } from '../search-query.ts'
import { catalogueSchema } from '../schema-org.ts'
import { askJson } from '../ports.ts'
import { catalogueEntry } from './home-page.ts'
import { readRecord } from './dataset-page.ts'

/** All catalogues by title. Throws `ServiceRefusal` and `Failure`. */
export async function cataloguesPage(
  context: PageContext,
  parameters: URLSearchParams,
): Promise<PageContent> {
  const { t, language } = context
  const { found, body } = await pagedList(context, {
    query: { filters: 'catalogue', aggregation: 'false' },
    sort: `title.${language}+asc`,
    path: pathTo(context, 'catalogues'),
    parameters,
    style: 'entries',
    item: (record) => catalogueEntry(context, record, 'h2'),
  })
  const title = t('n-catalogues', { count: found.count })
  return {
    title,
    section: 'catalogues',
    canonical: 'catalogues',
    body: html`<h1>${title}</h1> ${body}`,
  }
}

/** One catalogue. Throws `ServiceRefusal` and `Failure`. */
export async function cataloguePage(context: PageContext, id: string): Promise<PageContent> {
  const { t, formats, ports, signal, language } = context
  const query = new URLSearchParams({
    filters: 'dataset',
    limit: '6',
    sort: 'modified+desc',
    locale: language,
    facets: JSON.stringify({ catalog: [id] }),
    aggregationAllFields: 'false',
    aggregationFields: 'format,categories',
  })
  const [record, found, measured] = await Promise.all([
    readRecord(context, 'catalogues', id),
    searchRecords(context, query.toString()),
    askJson(ports.metrics, `/catalogues/${encodeURIComponent(id)}`, { signal }).catch(
      () => undefined,
    ),
  ])
  const description = chosenText(record['description'], wantedLanguages(context, record))
  const publisher = labelFor(context, record['publisher'])
  const address = `${context.root}${language}/catalogues/${encodeURIComponent(id)}`
  return {
    title: plainTitle(context, record),
    section: 'catalogues',
    description: shortened(plainDescription(description?.text ?? plainTitle(context, record)), 150),
    canonical: `catalogues/${encodeURIComponent(id)}`,
    data: catalogueSchema(context, record, address),
    body: html`${crumbs(context, [{ href: pathTo(context, 'catalogues'), label: t('menu-catalogues') }])}
      <div class="with-aside"> <div> <header class="title"> <h1>${titleText(context, record)}</h1>
      ${publisher && html`<p class="by">${t('published-by')} ${linkTo(valueAt(record, 'publisher.homepage'), inLanguage(context, publisher))}</p>`}
      </header> <div class="prose close stack">
      ${description && inLanguage(context, description, proseOf(description.text))} </div>
      <dl class="facts close"> ${factRow(t('datasets-title'), formats.number(found.count))}${factRow(
        t('languages'),
        joined(
          listed(record['language']).map((one) => labelText(context, one)),
          ', ',
        ),
      )}${factRow(t('country'), labelText(context, record['country']))}${factRow(t('last-change'), formats.day(record['modified']))} </dl> ${datasetsOf(context, id, found)} </div> <aside aria-label="${t('about-catalogue')}"> ${qualityPanel(context, id, measured)} ${tagPanel(context, id, { heading: t('formats'), name: 'format', items: found.facets.get('format') ?? [] })} ${tagPanel(context, id, { heading: t('themes'), name: 'categories', items: found.facets.get('categories') ?? [] })} ${dumps(context, id)} </aside> </div>`,
  }
}

const factRow = (name: string, value: HtmlContent | undefined): HtmlContent =>
  value !== undefined &&
  value !== false &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0) &&
  html`<div> <dt>${name}</dt> <dd>${value}</dd> </div>`

function datasetsOf(context: PageContext, id: string, found: Found): HtmlMarkup {
  const { t, formats } = context
  const below = (record: Fields) => {
    const day = formats.day(record['modified'])
    return [formatsOf(context, record).join(', '), day && html`${t('updated')} ${day}`]
  }
  const all = [searchTo(context, [['catalog', id]]), t('all-n', { count: found.count })] as const
  const body = html`<search> <form class="searchbar" action="${pathTo(context, 'datasets')}">
    <label class="vh" for="qc">${t('search-catalogue')}</label><input type="hidden" name="catalog" value="${id}" /><input type="search" id="qc" name="q" placeholder="${t('search-catalogue')}"/><button class="button primary">
    ${icon('search')}<span class="vh">${t('search-catalogue')}</span> </button> </form> </search>
    ${entries(context, found.records, below, 'entries close')}`
  return linkedSection('in', t('datasets-title'), all, body)
}

function qualityPanel(context: PageContext, id: string, measured: unknown): HtmlContent {
  const score = memberFields(listed(valueAt(measured, 'result.results'))[0])['score']
  if (typeof score !== 'number') return false
  const { t } = context
  return panel(
    t('metadata-quality'),
    html`<p class="score">
      <strong>${Math.round(score)}</strong><span class="soft">${t('points-on-average')}</span> </p>
      <p>${qualityMark(context, score)}</p>
      <p><a href="${pathTo(context, 'quality', 'catalogues', id)}">${t('full-report')}</a></p>`,
  )
}

type Tags = {
  readonly heading: string
  readonly name: string
  readonly items: readonly FacetChoice[]
}

function tagPanel(context: PageContext, id: string, { heading, name, items }: Tags): HtmlContent {
  const shown = items.filter(({ count }) => count > 0).slice(0, 12)
  const style = name === 'format' ? 'tag format' : 'tag'
  const tags = shown.map(
    (item) =>
      html`<a class="${style}" href="${searchTo(context, [
        ['catalog', id],
        [name, item.id],
      ])}">${labelText(context, item.title)}<span class="n">${context.formats.number(item.count)}</span></a>`,
  )
  return shown.length > 0 && panel(heading, html`<p class="tags">${tags}</p>`)
}

function dumps(context: PageContext, id: string): HtmlMarkup {
  const { root, t, language } = context
  const base = `${root}api/hub/repo/catalogues/${encodeURIComponent(id)}/dump`
  const links = [
    ['Turtle', 'ttl'],
    ['JSON-LD', 'jsonld'],
    ['RDF/XML', 'rdf'],
    ['N-Triples', 'nt'],
  ] as const
  const feed = `${root}api/hub/search/${language}/feeds/datasets.atom?facets=${encodeURIComponent(JSON.stringify({ catalog: [id] }))}`
  return panel(
    t('whole-catalogue'),
    html`<p class="formats">
      ${links.map(([label, ending]) => html`<a href="${base}.${ending}">${label}</a>`)}<a href="${feed}">${icon('rss')}
      ${t('feed')}</a> </p>`,
  )
}
