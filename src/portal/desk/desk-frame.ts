/** Frame of the pages of the desk: private, with a style sheet and a script of their own. */

import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import type { PageContent } from '../layout.ts'
import { stewardMenu } from '../pages/steward/steward-parts.ts'
import { fieldsAt } from '../record.ts'

type DeskContent = { readonly title: string; readonly body: HtmlContent }

/** Texts of the script, whose keys begin with `script-`. */
const scriptTexts = ['saved', 'unsaved', 'large', 'signed-out', 'ends', 'stay', 'found', 'none']

/** Style sheet of the desk, and its script with its texts and what it knows of the session. */
export function deskHead({ base, assets, t, pathTo, steward }: StewardContext): HtmlMarkup {
  const { left, idle } = steward.seconds
  const texts = scriptTexts.map((name) => html` data-${name}="${t(`script-${name}`)}"`)
  return html`<link rel="stylesheet" href="${base}${assets.path('desk.css')}" />
    <script src="${base}${assets.path('desk.js')}" defer data-left="${left}" data-idle="${idle}" data-token="${steward.token}" data-way="${pathTo('desk', 'stay')}"${texts}></script>`
}

/** Title of a published record; its id where the search does not know it. */
export async function publishedTitle(
  { askOptional, plainTitle }: StewardContext,
  { type, id }: { readonly type: string; readonly id: string },
): Promise<string> {
  const path = `/${encodeURIComponent(type)}/${encodeURIComponent(id)}`
  const record = fieldsAt(await askOptional('search', path), 'result')
  return record['title'] === undefined ? id : plainTitle(record)
}

/** Makes a page of the desk, below its menu; search engines do not index it. */
export const deskFrame = (context: StewardContext, { title, body }: DeskContent): PageContent => ({
  title,
  section: 'harvest',
  isIndexed: false,
  head: deskHead(context),
  body: html`${stewardMenu(context, sectionOf(context))} ${body}`,
})

/** Entry of the menu that a page belongs to. */
const sectionOf = ({ pathInLanguage }: StewardContext): string =>
  pathInLanguage.startsWith('desk/catalogues/') ? 'catalogues' : 'datasets'
