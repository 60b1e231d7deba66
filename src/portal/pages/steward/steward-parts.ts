/** Parts of all pages for stewards: menu, notice of the last action, forms. */

import { cataloguesOf, hasRole } from '../../../http/roles.ts'
import type { StewardContext } from '../../context.ts'
import { html, type HtmlContent, type HtmlMarkup, icon, joinHtml } from '../../html.ts'
import type { PageContent } from '../../layout.ts'
import { type HarvestRun, visibleRuns, waitingRuns } from './runs.ts'
import { breadcrumbs, notice } from '../../parts/blocks.ts'

/** Form that posts to a path with the token of the session, which other sites do not know. */
export const sessionForm = (
  { steward }: StewardContext,
  path: string,
  body: HtmlContent,
  style = 'row',
): HtmlMarkup => html`<form class="${style}" method="post" action="${path}">
  <input type="hidden" name="_csrf" value="${steward.token}">${body}</form>`

/** Name of an action → style of its button. */
const styles: Readonly<Record<string, string>> = { cancel: 'danger', dry: 'quiet' }

/** Form with one button, which sends the name of an action. */
export const actionForm = (
  context: StewardContext,
  path: string,
  name: string,
  label: HtmlContent,
): HtmlMarkup => {
  const button = html`<button class="button small ${styles[name]}" name="do" value="${name}">${label}</button>`
  return sessionForm(context, path, button)
}

/**
 * Buttons that start a pipe, or a dry run of it; after a dry run (`isTried`) only the former. Nothing where the session does not
 * permit it: a permission for one catalogue does not suffice.
 */
export function runButtons(context: StewardContext, pipe: string, isTried = false): HtmlContent {
  const { t, pathTo, steward } = context
  if (!steward.may({ method: 'POST', path: `/pipes/${pipe}/runs` })) return false
  const self = pathTo('harvest', 'pipes', pipe)
  const pipeName = html`<span class="vh"> ${pipe}</span>`
  if (isTried) {
    const label = html`${icon('play')} ${t('run-for-real')}${pipeName}`
    const button = html`<button class="button primary" name="do" value="run">${label}</button>`
    return sessionForm(context, self, button)
  }
  return [
    actionForm(context, self, 'run', html`${icon('play')} ${t('run')}${pipeName}`),
    actionForm(context, self, 'dry', html`${t('dry-run')}${pipeName}`),
  ]
}

const tabs = ['sources', 'runs', 'waiting', 'deleted'] as const

/** Tabs of the desk; `catalogues` is for stewards of catalogues. */
const deskTabs = ['desk', 'datasets', 'catalogues', 'reviews'] as const

/** Content of a page for stewards. */
type StewardContent = {
  /** `desk`, `datasets` and `reviews` are for publishers, `people` for administrators, `me` is the page of the own key. */
  readonly tab: (typeof tabs)[number] | (typeof deskTabs)[number] | 'people' | 'me'
  /** By default the title of the tab. */
  readonly title?: string
  /** Pipe that the page is about, for the breadcrumbs. */
  readonly pipe?: Pick<HarvestRun, 'pipe' | 'title'>
  /** Content above the heading, in place of breadcrumbs. */
  readonly above?: HtmlContent
  /** Content beside the heading. */
  readonly actions?: HtmlContent
  readonly body: HtmlContent
  readonly head?: HtmlContent
}

/** Makes a page for stewards, with their menu, which on pages of harvesting counts what waits; search engines do not index it. */
export async function stewardPage(
  context: StewardContext,
  { tab, title = context.t(`steward-${tab}`), pipe, above, actions, body, head }: StewardContent,
): Promise<PageContent> {
  const { t, pathTo, optional } = context
  const isHarvest = tabs.some((one) => one === tab)
  const runs = isHarvest ? ((await optional(visibleRuns(context))) ?? []) : []
  const steps = pipe && [
    { href: pathTo('harvest'), label: t('steward-sources') },
    pipe.title !== title && { href: pathTo('harvest', 'pipes', pipe.pipe), label: pipe.title },
  ]
  return {
    title,
    section: 'harvest',
    isIndexed: false,
    head,
    body: html`${stewardMenu(context, tab, waitingRuns(runs).length)} ${above ?? (steps && breadcrumbs(context, ...steps))}
      <div class="section-head"><h1>${title}</h1>${actions && html`<div class="row">${actions}</div>`}</div>
      ${actionNotice(context)} ${tab !== 'me' && !deskTabs.some((one) => one === tab) && scope(context)} ${body}`,
  }
}

/** Menu of the pages for stewards, with the number of runs whose removals wait where it is asked. */
export function stewardMenu(context: StewardContext, tab: string, waitingCount = 0): HtmlMarkup {
  const { t, pathTo, formats, steward } = context
  const entry = (key: string, path: string, label: HtmlContent) => {
    const here = key === tab && html` aria-current="page"`
    return html`<li${key === 'me' && html` class="me"`}><a href="${path}"${here}>${label}</a></li>`
  }
  const entries = tabs.map((key) => {
    const count = key === 'waiting' && waitingCount > 0 ? ` (${formats.number(waitingCount)})` : ''
    const path = key === 'sources' ? pathTo('harvest') : pathTo('harvest', key)
    return entry(key, path, `${t(`steward-${key}`)}${count}`)
  })
  const desk = steward.hasDesk && [
    entry('desk', pathTo('desk'), t('desk')),
    entry('datasets', pathTo('desk', 'datasets'), t('steward-datasets')),
    cataloguesOf(steward.permissions, 'steward').length > 0 &&
      entry('catalogues', pathTo('desk', 'catalogues'), t('steward-catalogues')),
    entry('reviews', pathTo('desk', 'waiting'), t('waiting-menu')),
  ]
  const isAdministrator = hasRole(steward.permissions, 'administrator', undefined)
  const people = isAdministrator && entry('people', pathTo('desk', 'people'), t('steward-people'))
  const own = entry('me', pathTo('desk', 'me'), steward.name)
  const signOutForm = sessionForm(
    context,
    pathTo('sign-out'),
    html`<button>${t('sign-out')}</button>`,
  )
  return html`<nav class="steward" aria-label="${t('your-pages')}">
    <ul role="list">${desk}${entries}${people}${own}<li>${signOutForm}</li></ul></nav>`
}

/** Note about the catalogues among the permissions of the session; nothing where it names none or is for all. */
function scope({ t, steward }: StewardContext): HtmlContent {
  const { length: count } = steward.catalogues
  const names = steward.catalogues.slice(0, 20).map((id) => html`<code>${id}</code>`)
  return (
    count > 0 && html`<p class="soft">${t('key-scope', { count })}: ${joinHtml(names, ', ')}</p>`
  )
}

/** Notice about the last action: `?did=confirm` shows the message `did-confirm`. */
function actionNotice({ t, query }: StewardContext): HtmlContent {
  const key = `did-${query.get('did')}`
  return t(key) !== key && html`<div role="status">${notice('good', t(key))}</div>`
}
