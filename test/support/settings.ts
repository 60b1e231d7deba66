/** What the environment says, as tests of settings ask for it. */

import { parseConfig, type Config } from '../../src/config/config.ts'
import { defaultFacets } from '../../src/projector/building/facets.ts'

/** Throws the message when there are problems. */
export function configOf(env: Record<string, string> = {}): Config {
  const result = parseConfig(env, defaultFacets)
  if (!result.ok) throw new Error(result.message)
  return result.config
}

export function problemsOf(env: Record<string, string>): string {
  const result = parseConfig(env, defaultFacets)
  return result.ok ? 'no problem' : result.message
}
