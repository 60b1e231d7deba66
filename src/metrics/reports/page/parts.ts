/** Small things that many sections of a page show. */

import { rank, type Band } from '../bands.ts'
import { decimal, percent } from '../telling/numbers.ts'
import { clipped, type LocalText } from '../../localized-texts.ts'
import { markup, type Markup } from './markup.ts'

/** Characters of a title in a row. */
const longest = 160

/** In a direction of its own, and in its own language when that is not the page's. */
export const said = ({ text, language }: LocalText, most = longest): Markup =>
  language === undefined || language === 'en'
    ? markup`<bdi>${clipped(text, most)}</bdi>`
    : markup`<bdi lang="${language}">${clipped(text, most)}</bdi>`

/** Characters of an address; no server takes longer ones. */
const longestAddress = 4096

/** A link where the address is one of the web, else the text alone. */
export const linked = (address: string, text: Markup): Markup =>
  isWeb(address) ? markup`<a href="${address}">${text}</a>` : text

function isWeb(address: string): boolean {
  if (address.length > longestAddress) return false
  const url = URL.parse(address)
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:')
}

export const nothing = markup`<span class="none">not measured</span>`

export const share = (percentage: number | null): Markup =>
  percentage === null ? nothing : markup`${percent(percentage)}`

/** A dot in the colour of the band, and its name. */
export const bandName = (bands: readonly Band[], band: Band | undefined): Markup =>
  band === undefined
    ? nothing
    : markup`<span class="band"><svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle class="rank-${rank(bands, band.id)}" cx="5" cy="5" r="5"/></svg>${band.title}</span>`

export const points = (value: number | null): Markup =>
  value === null
    ? markup`<span class="none">–</span>`
    : markup`${Number.isInteger(value) ? value : decimal(value)}`

/** One section: its heading, the rule of its figures, and what it shows. */
export const section = (
  { id, title, rule }: { readonly id: string; readonly title: string; readonly rule: string },
  content: Markup | readonly Markup[],
): Markup => markup`
<section id="${id}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading">${title}</h2>
<p class="rule">${rule}</p>
${content}
</section>`

/** The head of a row: what it is called, and its rule below. */
export const named = ({ label, rule }: { readonly label: string; readonly rule: string }): Markup =>
  markup`<th scope="row"><strong>${label}</strong><span class="rule">${rule}</span></th>`

/** Wide things scroll by themselves on narrow screens, with the keyboard too. */
export const wide = (name: string, content: Markup): Markup =>
  markup`<div class="wide" role="group" aria-label="${name}" tabindex="0">${content}</div>`
