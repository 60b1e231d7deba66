/** Page on which concepts of a field are searched, browsed and chosen. */

import { fold } from '../../text/fold.ts'
import type { Concept } from '../../vocabularies/concept.ts'
import { labelsOf } from '../../vocabularies/concept-table.ts'
import { html, type HtmlMarkup, icon } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { breadcrumbs, panel } from '../parts/blocks.ts'
import { labelOfConcept } from './concepts.ts'
import { deskFrame } from './desk-frame.ts'
import { fieldLabel } from './form-controls.ts'
import { fixQuery } from './fix.ts'
import { fieldAt, formPath, sectionWith, type View } from './form-page.ts'

/** Most concepts of one page. */
const mostShown = 60

/** Page of the concepts for a field, by its name in the form; `undefined` where the field has none. */
export function pickPage(view: View, name: string): PageContent | undefined {
  const { context, concepts, draft, sent } = view
  const { t, language, query, steward } = context
  const field = fieldAt(view, name)
  const all = concepts.list(field?.vocabulary)
  if (!field || all.length === 0) return undefined
  const [typed, above] = [query.get('q')?.trim() ?? '', query.get('in')]
  // Concepts that were chosen and could not be saved come first.
  const chosen = new Set(sent?.values())
  const matches = matching(all, typed, above)
  const found = [
    ...all.filter(({ iri }) => chosen.has(iri)),
    ...matches.filter(({ iri }) => !chosen.has(iri)),
  ]
  const label = fieldLabel({ page: context }, field)
  const back = formPath(view, sectionWith(draft.model, name)?.id ?? '')
  const self = formPath(view, 'pick', name) + fixQuery(context)
  const items = found
    .slice(0, mostShown)
    .map((concept, index) =>
      item(concept, { name, index, language, all, single: field.single, chosen }),
    )
  const body = html`${breadcrumbs(context, { href: back, label: draft.title || t('untitled') })}<h1>${t('form-choose', { what: label })}</h1>
    <p class="soft">${t('form-choose-lead', { count: all.length, what: label })}</p>
    <div class="pick section"><div><form action="${self}"><input type="hidden" name="catalogue" value="${draft.catalogue}"><div class="add-row">
      <label class="vh" for="find">${t('form-find')}</label><input type="search" id="find" name="q" value="${typed}" autocomplete="off"><button class="button">${icon('search')} ${t('form-find')}</button></div></form>
    <form method="post" action="${self}"><input type="hidden" name="_csrf" value="${steward.token}"><input type="hidden" name="revision" value="${draft.revision}">
      <h2 class="section" id="found">${t('form-found', { count: found.length })}</h2><ul class="found close" role="list" aria-labelledby="found">${items}</ul>
      <div class="savebar"><button class="button primary" name="do" value="next">${t('form-take')}</button><a class="button" href="${back}">${t('form-back')}</a></div></form></div>
    ${all.some(({ broader }) => broader.length > 0) && html`<aside aria-label="${t('form-browse')}">${panel(t('form-browse'), tree(view, all, self))}</aside>`}</div>`
  return deskFrame(context, { title: t('form-choose', { what: label }), body })
}

/** Concepts whose labels or code contain every typed word, or that are narrower than one. */
function matching(
  all: readonly Concept[],
  typed: string,
  above: string | null,
): readonly Concept[] {
  const words = fold(typed).split(/\s+/).filter(Boolean)
  const isBelow = ({ broader }: Concept) => above === null || broader.includes(above)
  return all.filter((concept) => {
    const text = fold([concept.id, ...labelsOf(concept)].join(' '))
    return isBelow(concept) && words.every((word) => text.includes(word))
  })
}

type ItemOptions = {
  readonly name: string
  readonly index: number
  readonly language: string
  readonly all: readonly Concept[]
  readonly single: boolean
  readonly chosen: ReadonlySet<string>
}

function item(concept: Concept, options: ItemOptions): HtmlMarkup {
  const { name, index, language, all, single, chosen } = options
  const broader = all
    .filter(({ iri }) => concept.broader.includes(iri))
    .map((above) => labelOfConcept(above, language))
  const row = single ? `${name}.+0` : `${name}.+${index}`
  return html`<li><label><input type="${single ? 'radio' : 'checkbox'}" name="${row}" value="${concept.iri}"${chosen.has(concept.iri) && html` checked`}><span><strong>${labelOfConcept(concept, language)}</strong></span><span class="n">${concept.id}</span>${broader.length > 0 && html`<span class="path">${broader.join(' › ')}</span>`}</label></li>`
}

/** Concepts that others are narrower than, as links to these. */
function tree({ context }: View, all: readonly Concept[], self: string): HtmlMarkup {
  const above = new Set(all.flatMap(({ broader }) => broader))
  const tops = all.filter(({ iri }) => above.has(iri)).slice(0, 40)
  return html`<ul class="tree"><li><a href="${self}">${context.t('form-all')}</a></li>${tops.map(
    (concept) =>
      html`<li><a href="${self}&in=${encodeURIComponent(concept.iri)}">${labelOfConcept(concept, context.language)}</a></li>`,
  )}</ul>`
}
