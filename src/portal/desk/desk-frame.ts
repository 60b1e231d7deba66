/** Frame of the pages of the desk: private, with a style sheet of their own. */

import type { StewardContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'
import type { PageContent } from '../layout.ts'

type DeskContent = { readonly title: string; readonly body: HtmlContent }

/** Link to the style sheet of the desk. */
export const deskStyle = ({ base, assets }: StewardContext): HtmlMarkup =>
  html`<link rel="stylesheet" href="${base}${assets.path('desk.css')}" />`

/** Makes a page of the desk; search engines do not index it. */
export const deskFrame = (context: StewardContext, { title, body }: DeskContent): PageContent => ({
  title,
  section: 'harvest',
  isIndexed: false,
  head: deskStyle(context),
  body,
})
