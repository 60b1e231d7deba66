/** The quality pages of the portal over the reports of figures that a test chooses. */

import type { Figures } from '../../src/metrics/figures/figures-reader.ts'
import { type Port, portInProcess } from '../../src/portal/ports.ts'
import { appOf, base } from '../metrics/reports/report-apps.ts'
import { appAlone, portsTo } from './app-alone.ts'

const nothing: Port = async () => Response.json({ result: {} })

/** The portal; services beside the reports answer with nothing. */
export const qualityPortal = (figures?: Figures, metrics = nothing) =>
  appAlone({ ...portsTo(nothing), metrics, reports: portInProcess(appOf(figures), base) })

/** Options of a request for a page. */
export const asPage = { headers: { Accept: 'text/html' } }

/** A page below `/{language}/`. */
export const qualityPage = async (path: string, figures?: Figures, language = 'en') =>
  (await qualityPortal(figures).request(`/${language}/${path}`, asPage)).text()

/** The text of a page without its markup. */
export const wordsOf = (page: string): string =>
  page
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/gu, ' ')

/** The section below a heading with this id. */
export function sectionOf(page: string, id: string): string {
  const start = page.indexOf(`<h2 id="${id}"`)
  if (start < 0) throw new Error(`the page has no section ${id}`)
  return page.slice(start, page.indexOf('</section>', start))
}
