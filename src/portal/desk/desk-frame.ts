/** Frame of the pages of the desk: private, with a style sheet and a script of their own. */

import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import type { PageContent } from '../layout.ts'

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

/** Makes a page of the desk; search engines do not index it. */
export const deskFrame = (context: StewardContext, { title, body }: DeskContent): PageContent => ({
  title,
  section: 'harvest',
  isIndexed: false,
  head: deskHead(context),
  body,
})
