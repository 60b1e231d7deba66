/** What every page is made with: style, script, texts, the operator's folder. It is there before any service is. */

import type { PortalConfig } from '../config/portal.ts'
import type { Log } from '../log.ts'
import { type Assets, openAssets } from './assets.ts'
import type { Speech } from './context.ts'
import { localFormats, translator } from './languages.ts'
import { recordTexts } from './record-texts.ts'
import { openTheme, type Theme, type ThemeFolder } from './theme.ts'

/** What every page needs, those of problems too: it is there before any service is. */
export type PageShell = {
  readonly config: PortalConfig
  readonly log: Log
  readonly assets: Assets
  readonly theme: ThemeFolder
  readonly speech: (language: string, theme: Theme) => Speech
}

/** Opened once, also for the problems of other services. */
export const openPageShell = (config: PortalConfig, log: Log): PageShell => ({
  config,
  log,
  assets: openAssets({ hasFont: config.font === 'source-serif', tokens: tokensOf(config) }),
  theme: openTheme(config, log),
  speech: speaker(config),
})

/** Texts and formats of a language, made once for each state of the theme. */
function speaker({ timeZone }: PortalConfig): PageShell['speech'] {
  let known = new Map<string, Speech>()
  let own: Theme['texts'] | undefined
  return (language, { texts }) => {
    if (own !== texts) known = new Map()
    own = texts
    const spoken = known.get(language)
    if (spoken) return spoken
    const t = translator(language, texts[language])
    const formats = localFormats(language, timeZone)
    const speech = { t, formats, ...recordTexts({ language, t, formats }) }
    known.set(language, speech)
    return speech
  }
}

/** Colours of the operator, by day and by night. */
function tokensOf({ colours: { accent, accentDark, rubric } }: PortalConfig): string {
  const ink = `--accent: light-dark(${accent ?? '#0d5c58'}, ${accentDark ?? '#7fcac2'});`
  const own = [(accent ?? accentDark) && ink, rubric && `--rubric: light-dark(${rubric}, #f0a088);`]
  return `\n@layer custom { :root { ${own.filter(Boolean).join(' ')} } }\n`
}
