/** What the config of a script may say. */

import { z } from 'zod'
import { isBranch, isGitAddress } from '../../../../config/cluster.ts'

const reference = z.object({ secret: z.string() })

const repository = z.looseObject({
  uri: z
    .string()
    .refine(isGitAddress, 'must be the https or ssh address of a git repository, without a token'),
  branch: z.string().refine(isBranch, 'must be the name of a branch').optional(),
  username: z.string().optional(),
  token: z.union([z.string(), reference]).optional(),
  /** Path of the script in the repository. */
  script: z.string(),
})
export type ScriptRepository = z.infer<typeof repository>

const params = z.union([z.record(z.string(), z.json()), z.string()])

/** Unknown keys are kept: foreign pipes are full of them. */
export const scriptConfig = z.looseObject({
  scriptType: z.enum(['embedded', 'repository', 'localFile']).default('embedded'),
  /** Source text. */
  script: z.string().optional(),
  repository: repository.optional(),
  /** File below `scripts/` of the pipe's source. */
  path: z.string().optional(),
  /** The global `params` of the script; an object, or JSON in a string. */
  params: params.optional(),
  /** One instance for the whole run instead of one per record. */
  single: z.boolean().default(false),
  outputFormat: z.string().optional(),
})
export type ScriptConfig = z.infer<typeof scriptConfig>

/** JSON text of the params; `undefined` when the string is no JSON. */
export function paramsText({ params }: Pick<ScriptConfig, 'params'>): string | undefined {
  if (typeof params !== 'string') return JSON.stringify(params ?? {})
  try {
    return JSON.stringify(JSON.parse(params.trim() === '' ? '{}' : params))
  } catch {
    return undefined
  }
}
