/** `PLATFORM_HUB_SHELL_CONFIG`: which doors the console has. */

import { z } from 'zod'
import { nearest } from './spelling.ts'

/** A door that is absent stays shut. */
export type ShellConfig = {
  readonly telnet?: { readonly host: string; readonly port: number }
  /** Without a port it is on the common one. */
  readonly http?: { readonly host?: string; readonly port?: number }
}

const portError = 'must be a whole number 0..65535'

const port = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value),
  z.int({ error: portError }).min(0, { error: portError }).max(65_535, { error: portError }),
)

const hostError = 'must be an address or the name of a host'
const host = z.string({ error: hostError }).regex(/^[A-Za-z0-9_.:%-]{1,253}$/, { error: hostError })

/** Null and false are as good as absent: templates write them. */
const door = <Door extends z.ZodType>(schema: Door) =>
  z.preprocess(
    (value) => (value === null || value === false ? undefined : value === true ? {} : value),
    schema.optional(),
  )

const named = (names: readonly string[]) => (given: object, context: z.RefinementCtx<object>) => {
  for (const name of Object.keys(given).filter((one) => !names.includes(one))) {
    const close = nearest(name, names)
    if (close === undefined) continue
    context.addIssue({
      code: 'custom',
      path: [name],
      message: `is not read (did you mean ${close}?)`,
    })
  }
}

const shape = 'must be an object of host and port'

/** Names that other versions know are left alone, misspelt ones are told. */
export const shellConfig = z
  .looseObject(
    {
      telnet: door(
        z
          .looseObject(
            { host: host.default('127.0.0.1'), port: port.default(5000) },
            { error: shape },
          )
          .superRefine(named(['host', 'port'])),
      ),
      http: door(
        z
          .looseObject({ host: host.optional(), port: port.optional() }, { error: shape })
          .superRefine(named(['host', 'port'])),
      ),
    },
    { error: 'must be an object with telnet or http, such as {"telnet":{},"http":{}}' },
  )
  .superRefine(named(['telnet', 'http']))
  .transform(({ telnet, http }): ShellConfig => ({
    ...(telnet && { telnet: { host: telnet.host, port: telnet.port } }),
    ...(http && {
      http: {
        ...(http.host !== undefined && { host: http.host }),
        ...(http.port !== undefined && { port: http.port }),
      },
    }),
  }))
