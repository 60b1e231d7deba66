/** The way from no points to all of them, band by band, with a mark where a score stands. */

import { rank, type Band } from '../bands.ts'
import { markup, type Markup } from '../page/markup.ts'
import { count, tenths } from '../telling/numbers.ts'

const [height, top, thick] = [70, 22, 12]

/** `bands` ascending. Across in percent, so that texts keep their size at every width. */
export function scale({
  bands,
  most,
  score,
}: {
  readonly bands: readonly Band[]
  readonly most: number
  readonly score: number | null
}): Markup {
  const x = (points: number) => tenths((Math.min(points, most) / most) * 100)
  const parts = bands.map((band, place) => {
    const next = bands[place + 1]
    const [from, to] = [x(band.from), x(next?.from ?? most)]
    const isLast = next === undefined && bands.length > 1
    const [at, anchor] = isLast ? ['100%', 'end'] : [`${from}%`, 'start']
    const gap = next === undefined ? 0 : 0.3
    return markup`<rect class="rank-${rank(bands, band.id)}" x="${from}%" y="${top}" width="${tenths(Math.max(0, to - from - gap))}%" height="${thick}"/>
<text class="name" x="${at}" y="${top + thick + 18}" text-anchor="${anchor}">${band.title}</text>
<text class="tick" x="${at}" y="${top + thick + 34}" text-anchor="${anchor}">${count(band.from)}–${count(band.to)}</text>
`
  })
  return markup`<svg class="chart" height="${height}" role="img" aria-labelledby="scale-title scale-desc">
<title id="scale-title">Where the score stands</title>
<desc id="scale-desc">${described(bands, most, score)}</desc>
${parts}${score === null ? undefined : mark(x(score), score)}
</svg>`
}

/** Near the ends the number stands beside the middle, not outside. */
function mark(at: number, score: number): Markup {
  const anchor = at < 4 ? 'start' : at > 96 ? 'end' : 'middle'
  return markup`<svg x="${at}%" y="${top - 8}" overflow="visible"><path class="mark" d="M-5 0h10l-5 7z"/></svg>
<text class="value" x="${at}%" y="${top - 11}" text-anchor="${anchor}">${count(score)}</text>`
}

const described = (bands: readonly Band[], most: number, score: number | null): string =>
  [
    score === null ? 'There is no score yet.' : `${count(score)} of ${count(most)} points.`,
    ...bands.map(({ title, from, to }) => `${title}: ${count(from)} to ${count(to)}.`),
  ].join(' ')
