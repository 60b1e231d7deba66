/** Pages of resources of types that a profile adds: the list of a type, and a resource with its fields (`metadataRows`). */

import type { PageContext } from '../context.ts'
import { html } from '../html.ts'
import type { MaybePage, PageContent } from '../layout.ts'
import { breadcrumbs, pageSection, rdfLinks } from '../parts/blocks.ts'
import { metadataRows } from '../parts/metadata.ts'
import { sanitizedProse } from '../parts/prose.ts'
import { pagedList } from '../parts/record-lists.ts'
import { type Fields, textAt, textOr } from '../../text/json.ts'
import { listAt } from '../record.ts'

/** Type as the profile declares it. */
type ResourceType = {
  readonly label: string
  /** Field → its label in the profile (`sh:name`). */
  readonly fields: ReadonlyMap<string, string>
}

/** Reads a type from the profile; `undefined` where the profile does not declare it. Rejects with `Failure`. */
async function typeOf({ ask }: PageContext, type: string): Promise<ResourceType | undefined> {
  const shapes = listAt(await ask('search', '/profile'), 'resources')
  const shape = shapes.find(({ id }) => id === type)
  if (!shape) return undefined
  const fields = listAt(shape, 'fields').flatMap(({ field, title }) => {
    const [id, name] = [textOr(field), textOr(title)]
    return id === undefined || name === undefined ? [] : [[id, name] as const]
  })
  return { label: textAt(shape, 'name') ?? type, fields: new Map(fields) }
}

/** List of the resources of a type; `undefined` for an unknown type. Rejects with `Failure`. */
export async function resourcesPage(context: PageContext, type: string): MaybePage {
  const { t, language, labelOf, pathTo, titleOf } = context
  const typeInfo = await typeOf(context, type)
  if (!typeInfo) return undefined
  const { result, body } = await pagedList(context, {
    params: { filters: `resource_${type}`, sort: `title.${language}+asc` },
    searchLabel: t('search'),
    style: 'entries',
    item: (record) => {
      const path = pathTo('resources', type, textAt(record, 'id') ?? '')
      return html`<li><h2><a href="${path}">${titleOf(record)}</a></h2><p>${labelOf(record['catalog'])}</p></li>`
    },
  })
  const count = t('n-records', { count: result.count })
  return {
    title: typeInfo.label,
    body: html`<h1>${typeInfo.label}</h1><p class="soft close" role="status">${count}</p>${body}`,
  }
}

/** Page of a resource; `undefined` for an unknown type. Rejects with `Failure`. */
export async function resourcePage(context: PageContext, type: string, id: string): MaybePage {
  const typeInfo = await typeOf(context, type)
  if (!typeInfo) return undefined
  const record = await context.readRecord(`resources/${encodeURIComponent(type)}`, id)
  const path = `${encodeURIComponent(type)}/${encodeURIComponent(id)}`
  const address = `${context.root}api/hub/repo/customresources/${path}`
  return {
    ...resourceBody(context, { type, typeInfo, record }, address),
    canonical: `resources/${path}`,
    record: { path: `customresources/${path}`, fields: record },
  }
}

/** Page made of the record of a resource that is not published; `undefined` for an unknown type. Rejects with `Failure`. */
export async function resourceView(context: PageContext, type: string, record: Fields): MaybePage {
  const typeInfo = await typeOf(context, type)
  return typeInfo && resourceBody(context, { type, typeInfo, record })
}

/** Content of the page of a resource; `address` is that of its RDF. */
function resourceBody(
  context: PageContext,
  {
    type,
    typeInfo,
    record,
  }: { readonly type: string; readonly typeInfo: ResourceType; readonly record: Fields },
  address?: string,
): PageContent {
  const { t, inLanguage, pathTo, plainTitle, textOf, titleOf } = context
  const description = textOf(record['description'], record)
  return {
    title: plainTitle(record),
    body: html`${breadcrumbs(context, { href: pathTo('resources', type), label: typeInfo.label })}
      <header class="title"><h1>${titleOf(record)}</h1></header>
      <div class="prose close stack">${description && inLanguage(description, sanitizedProse(description.text))}</div>
      ${pageSection('metadata', t('all-metadata'), metadataRows(context, record, typeInfo.fields))}
      ${address !== undefined && html`<p class="take close"><span>${t('record-as')}</span>${rdfLinks(address, ['ttl', 'jsonld', 'rdf'])}</p>`}`,
  }
}
