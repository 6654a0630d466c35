// Written by npm run client from docs/openapi.json: do not edit.

/** The version of the API that these types are of. */
export const API_VERSION = 'v1';

export interface paths {
  '/apikeys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List APIKey records
     * @description The records that you may see, with the props that you may see.
     */
    get: operations['listAPIKeys'];
    put?: never;
    /**
     * Create an APIKey
     * @description Unknown props, and props that you may not set, are ignored with a warning.
     */
    post: operations['createAPIKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apikeys/options': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the choices for the props of an APIKey
     * @description The choices of enumerated props, and of props with a list that depends on current data.
     */
    get: operations['listAPIKeyOptions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apikeys/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an APIKey
     * @description The record with the props that you may see. A record that you may not see at all is 404.
     */
    get: operations['readAPIKey'];
    /**
     * Change an APIKey
     * @description Only for owners. Props that the body leaves out stay. The answer is the whole record.
     */
    put: operations['updateAPIKey'];
    post?: never;
    /**
     * Delete an APIKey
     * @description Only for owners. The answer is the record as it was.
     */
    delete: operations['deleteAPIKey'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apikeys/{id}/user': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the user of an APIKey
     * @description The record with the props that you may see.
     */
    get: operations['readAPIKeyUser'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cronjobs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List CronJob records
     * @description The records that you may see, with the props that you may see.
     */
    get: operations['listCronJobs'];
    put?: never;
    /**
     * Create a CronJob
     * @description Unknown props, and props that you may not set, are ignored with a warning.
     */
    post: operations['createCronJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cronjobs/options': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the choices for the props of a CronJob
     * @description The choices of enumerated props, and of props with a list that depends on current data.
     */
    get: operations['listCronJobOptions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cronjobs/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a CronJob
     * @description The record with the props that you may see. A record that you may not see at all is 404.
     */
    get: operations['readCronJob'];
    /**
     * Change a CronJob
     * @description Only for owners. Props that the body leaves out stay. The answer is the whole record.
     */
    put: operations['updateCronJob'];
    post?: never;
    /**
     * Delete a CronJob
     * @description Only for owners. The answer is the record as it was.
     */
    delete: operations['deleteCronJob'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cronjobs/{id}/run': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Run a CronJob now
     * @description Queues a run, even of a disabled job. At most 100 such runs of a job may wait (409).
     */
    post: operations['runCronJob'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cronjobs/{id}/runs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the runs of a CronJob
     * @description The records that you may see, with the props that you may see.
     */
    get: operations['listCronJobRuns'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cronruns': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List CronRun records
     * @description The records that you may see, with the props that you may see.
     */
    get: operations['listCronRuns'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cronruns/options': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the choices for the props of a CronRun
     * @description The choices of enumerated props, and of props with a list that depends on current data.
     */
    get: operations['listCronRunOptions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cronruns/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a CronRun
     * @description The record with the props that you may see. A record that you may not see at all is 404.
     */
    get: operations['readCronRun'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/cronruns/{id}/cronjob': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the cronJob of a CronRun
     * @description The record with the props that you may see.
     */
    get: operations['readCronRunCronJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/objectfiles': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List ObjectFile records
     * @description The records that you may see, with the props that you may see.
     */
    get: operations['listObjectFiles'];
    put?: never;
    /**
     * Create an ObjectFile
     * @description Unknown props, and props that you may not set, are ignored with a warning.
     */
    post: operations['createObjectFile'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/objectfiles/options': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the choices for the props of an ObjectFile
     * @description The choices of enumerated props, and of props with a list that depends on current data.
     */
    get: operations['listObjectFileOptions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/objectfiles/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an ObjectFile
     * @description The record with the props that you may see. A record that you may not see at all is 404.
     */
    get: operations['readObjectFile'];
    /**
     * Change an ObjectFile
     * @description Only for owners. Props that the body leaves out stay. The answer is the whole record.
     */
    put: operations['updateObjectFile'];
    post?: never;
    /**
     * Delete an ObjectFile
     * @description Only for owners. The answer is the record as it was.
     */
    delete: operations['deleteObjectFile'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/objectfiles/{id}/avatarusers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the avatarUsers of an ObjectFile
     * @description The records that you may see, with the props that you may see.
     */
    get: operations['listObjectFileAvatarUsers'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/objectfiles/{id}/user': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the user of an ObjectFile
     * @description The record with the props that you may see.
     */
    get: operations['readObjectFileUser'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Log in
     * @description With an API key and its secret, or with a username or e-mail address and the password. The answer to a failed login is always the same (454). If the request has a session cookie, that session ends.
     */
    post: operations['login'];
    /**
     * Log out
     * @description Ends the session of the cookie. The answer is the session as it was.
     */
    delete: operations['logout'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sessions/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a session of your own
     * @description Read a session of your own.
     */
    get: operations['readSession'];
    put?: never;
    post?: never;
    /**
     * End a session of your own
     * @description End a session of your own.
     */
    delete: operations['endSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sessions/{token}/user': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the user of a session of your own
     * @description Read the user of a session of your own.
     */
    get: operations['readSessionUser'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Echo a GET
     * @description For trying out calls. It uses no data and no cookie.
     */
    get: operations['echoGet'];
    /**
     * Echo a PUT
     * @description For trying out calls. It uses no data and no cookie.
     */
    put: operations['echoPut'];
    /**
     * Echo a POST
     * @description For trying out calls. It uses no data and no cookie.
     */
    post: operations['echoPost'];
    /**
     * Echo a DELETE
     * @description For trying out calls. It uses no data and no cookie.
     */
    delete: operations['echoDelete'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/users': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List User records
     * @description The records that you may see, with the props that you may see.
     */
    get: operations['listUsers'];
    put?: never;
    /**
     * Create a User
     * @description Unknown props, and props that you may not set, are ignored with a warning.
     */
    post: operations['createUser'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/users/options': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the choices for the props of a User
     * @description The choices of enumerated props, and of props with a list that depends on current data.
     */
    get: operations['listUserOptions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/users/whoami': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the user of the session
     * @description Read the user of the session.
     */
    get: operations['whoami'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/users/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a User
     * @description The record with the props that you may see. A record that you may not see at all is 404.
     */
    get: operations['readUser'];
    /**
     * Change a User
     * @description Only for owners. Props that the body leaves out stay. The answer is the whole record.
     */
    put: operations['updateUser'];
    post?: never;
    /**
     * Delete a User
     * @description Only for owners. The answer is the record as it was.
     */
    delete: operations['deleteUser'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/users/{id}/apikeys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the apikeys of a User
     * @description The records that you may see, with the props that you may see.
     */
    get: operations['listUserApikeys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/users/{id}/avatar': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the avatar of a User
     * @description The record with the props that you may see.
     */
    get: operations['readUserAvatar'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/users/{id}/avatar-image': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The picture of a user
     * @description For everyone. A user without an avatar has initials on a colour, as SVG.
     */
    get: operations['readAvatarImage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/users/{id}/import-avatar': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Make an uploaded file the avatar of a user
     * @description The third step of an upload: the service checks the bytes, writes a new picture of 300 × 300 pixels and makes it the avatar. Only for owners of both the user and the file.
     */
    put: operations['importAvatar'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/users/{id}/objectfiles': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the objectfiles of a User
     * @description The records that you may see, with the props that you may see.
     */
    get: operations['listUserObjectfiles'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description A credential with which a program logs in: the id and a secret, which only the answer to its creation contains. Props that you may not see are absent. */
    APIKey: {
      /** @example v3kNqT8wYbR5xLmZp2HdC */
      id: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      updatedAt: string;
      /** @example laptop */
      name: string;
      /**
       * @description The id of a User. The creator, unless an administrator names another user. A key that is given to another user stops working, and its sessions end.
       * @example v3kNqT8wYbR5xLmZp2HdC
       */
      userId: string;
      /**
       * Format: date-time
       * @description After this time the key cannot log in, and its sessions end.
       * @example 2026-01-31T12:00:00.000Z
       */
      expiresAt: string | null;
      /**
       * Format: date-time
       * @description When the key was last used for a login.
       * @example 2026-01-31T12:00:00.000Z
       */
      lastUsedAt: string | null;
    };
    'APIKey.Create': {
      /** @example laptop */
      name: string;
      /** @description The id of a User. The creator, unless an administrator names another user. A key that is given to another user stops working, and its sessions end. */
      userId?: string;
      /**
       * @description After this time the key cannot log in, and its sessions end.
       * @example 2026-01-31T12:00:00.000Z
       */
      expiresAt?: string | null;
    };
    'APIKey.Created': {
      props: components['schemas']['APIKey'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        user: components['schemas']['Kindred.Link'];
      };
      meta: {
        /** @constant */
        kind: 'APIKey';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /** @description The secret, in this answer only. */
        privateKey: string;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
      /** @description With `includeRelated`. */
      related?: {
        user?: components['schemas']['User.Related'] | null;
      };
      /** @description With `includeOptions`. */
      options?: components['schemas']['APIKey.Options'];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    'APIKey.List': {
      paging: components['schemas']['Kindred.Paging'];
      items: components['schemas']['APIKey.Record'][];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    /** @description The choices for the props that you could see or set, by prop. */
    'APIKey.Options': Record<string, never>;
    'APIKey.Record': {
      props: components['schemas']['APIKey'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        user: components['schemas']['Kindred.Link'];
      };
      /** @description With `includeMeta`. */
      meta?: {
        /** @constant */
        kind: 'APIKey';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
      /** @description With `includeRelated`. */
      related?: {
        user?: components['schemas']['User.Related'] | null;
      };
      /** @description With `includeOptions`. */
      options?: components['schemas']['APIKey.Options'];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    'APIKey.Update': {
      /** @example laptop */
      name?: string;
      /** @description The id of a User. The creator, unless an administrator names another user. A key that is given to another user stops working, and its sessions end. */
      userId?: string;
      /**
       * @description After this time the key cannot log in, and its sessions end.
       * @example 2026-01-31T12:00:00.000Z
       */
      expiresAt?: string | null;
    };
    /** @description A background job on a schedule. Only for administrators. Props that you may not see are absent. */
    CronJob: {
      /** @example v3kNqT8wYbR5xLmZp2HdC */
      id: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      updatedAt: string;
      /**
       * @description Must be five cron fields, such as "30 2 * * MON-FRI", or a name, such as @hourly.
       * @example 30 2 * * MON-FRI
       */
      schedule: string;
      /**
       * @description The time zone of the schedule. Must be the name of an IANA time zone, such as Europe/Berlin.
       * @example Europe/Berlin
       */
      timezone: string;
      /**
       * @description One of the handlers that `GET …/cronjobs/options` lists.
       * @example Test
       */
      handler: string;
      /** @description An object that the handler accepts. */
      params: Record<string, never> | null;
      enabled: boolean;
      note: string | null;
      /**
       * Format: date-time
       * @description When the latest run started.
       * @example 2026-01-31T12:00:00.000Z
       */
      lastRunAt: string | null;
      /**
       * Format: date-time
       * @description The next tick; null while the job is disabled.
       * @example 2026-01-31T12:00:00.000Z
       */
      nextRunAt: string | null;
    };
    'CronJob.Create': {
      /**
       * @description Must be five cron fields, such as "30 2 * * MON-FRI", or a name, such as @hourly.
       * @example 30 2 * * MON-FRI
       */
      schedule: string;
      /**
       * @description The time zone of the schedule. Must be the name of an IANA time zone, such as Europe/Berlin.
       * @default UTC
       * @example Europe/Berlin
       */
      timezone?: string;
      /**
       * @description One of the handlers that `GET …/cronjobs/options` lists.
       * @example Test
       */
      handler: string;
      /**
       * @description An object that the handler accepts.
       * @example {}
       */
      params?: Record<string, never> | null;
      /**
       * @default true
       * @example true
       * @enum {boolean|string}
       */
      enabled?: true | false | 'true' | 'false';
      /** @example note */
      note?: string | null;
    };
    'CronJob.List': {
      paging: components['schemas']['Kindred.Paging'];
      items: components['schemas']['CronJob.Record'][];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    /** @description The choices for the props that you could see or set, by prop. */
    'CronJob.Options': {
      handler?: components['schemas']['Kindred.Option'][];
      enabled?: components['schemas']['Kindred.Option'][];
    };
    'CronJob.Record': {
      props: components['schemas']['CronJob'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        runs: components['schemas']['Kindred.Link'];
        /** @description Where a `POST` runs the job now. */
        run?: components['schemas']['Kindred.Link'];
      };
      /** @description With `includeMeta`. */
      meta?: {
        /** @constant */
        kind: 'CronJob';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
      /** @description With `includeOptions`. */
      options?: components['schemas']['CronJob.Options'];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    'CronJob.Related': {
      props: components['schemas']['CronJob'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        runs: components['schemas']['Kindred.Link'];
        /** @description Where a `POST` runs the job now. */
        run?: components['schemas']['Kindred.Link'];
      };
      /** @description With `includeMeta`. */
      meta?: {
        /** @constant */
        kind: 'CronJob';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
    };
    'CronJob.Update': {
      /**
       * @description Must be five cron fields, such as "30 2 * * MON-FRI", or a name, such as @hourly.
       * @example 30 2 * * MON-FRI
       */
      schedule?: string;
      /**
       * @description The time zone of the schedule. Must be the name of an IANA time zone, such as Europe/Berlin.
       * @example Europe/Berlin
       */
      timezone?: string;
      /**
       * @description One of the handlers that `GET …/cronjobs/options` lists.
       * @example Test
       */
      handler?: string;
      /**
       * @description An object that the handler accepts.
       * @example {}
       */
      params?: Record<string, never> | null;
      /**
       * @example true
       * @enum {boolean|string}
       */
      enabled?: true | false | 'true' | 'false';
      /** @example note */
      note?: string | null;
    };
    /** @description One run of a job, with all its tries. Props that you may not see are absent. */
    CronRun: {
      /** @example v3kNqT8wYbR5xLmZp2HdC */
      id: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      updatedAt: string;
      /**
       * @description The id of a CronJob.
       * @example v3kNqT8wYbR5xLmZp2HdC
       */
      cronJobId: string;
      /**
       * Format: date-time
       * @description The tick; for a requested run, the time of the request.
       * @example 2026-01-31T12:00:00.000Z
       */
      scheduledFor: string;
      /**
       * Format: date-time
       * @description When the latest try started.
       * @example 2026-01-31T12:00:00.000Z
       */
      startedAt: string | null;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      finishedAt: string | null;
      /** @enum {string} */
      status: 'queued' | 'running' | 'succeeded' | 'failed';
      /** @description How many tries have started. */
      attempt: number;
      /** @description The error message of the latest try. */
      error: string | null;
    };
    'CronRun.List': {
      paging: components['schemas']['Kindred.Paging'];
      items: components['schemas']['CronRun.Record'][];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    /** @description The choices for the props that you could see or set, by prop. */
    'CronRun.Options': {
      status?: components['schemas']['Kindred.Option'][];
    };
    'CronRun.Record': {
      props: components['schemas']['CronRun'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        cronJob: components['schemas']['Kindred.Link'];
      };
      /** @description With `includeMeta`. */
      meta?: {
        /** @constant */
        kind: 'CronRun';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
      /** @description With `includeRelated`. */
      related?: {
        cronJob?: components['schemas']['CronJob.Related'] | null;
      };
      /** @description With `includeOptions`. */
      options?: components['schemas']['CronRun.Options'];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    /** @description Every error. */
    'Kindred.Error': {
      error: {
        /**
         * @description The HTTP status, or one of three more specific codes.
         * @enum {integer}
         */
        code:
          | 400
          | 401
          | 454
          | 403
          | 404
          | 405
          | 409
          | 412
          | 413
          | 414
          | 415
          | 416
          | 441
          | 442
          | 429
          | 431
          | 500
          | 502
          | 503
          | 504
          | 507;
        /** @description For people; it may change. */
        message: string;
        /** @description The prop, parameter, limit, seconds or request id in question; see the answers. */
        data: string | number | null;
      };
      /** @description The other wrong values of the body, and what was ignored. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    /** @description Where something is, and what you may do there. */
    'Kindred.Link': {
      /** @description A path, from the root. */
      href: string;
      /** @description What you may do; empty: nothing. */
      methods: string[];
      /** @enum {string} */
      usage: 'rest' | 'page' | 'file' | 'image';
    };
    /** @description A choice for a prop. */
    'Kindred.Option': {
      /** @description For people. */
      label: string;
      /** @description The value to post. */
      value: string;
    };
    'Kindred.Paging': {
      /** @description The page that was asked for. */
      page: number;
      /** @description The next page; on the last page, that page. */
      nextPage: number;
      /** @description The page before; on the first page, 1. */
      previousPage: number;
      /** @description The most items on a page. */
      itemsPerPage: number;
      /** @description The number of matching records that you may see, up to `maxItems`. */
      totalItems: number;
      /** @description The number of pages. */
      totalPages: number;
    };
    /** @description Something that did not stop the request. */
    'Kindred.Warning': {
      /** @example 400 */
      code: number;
      /** @description For people; it may change. */
      message: string;
      /** @description The name of the parameter, prop or relation, or the `data` of the error with this code. */
      data: unknown;
    };
    /** @description A file, uploaded in three steps: create the record; `PUT` the bytes to `meta.presignedUrl`, with `meta.uploadHeaders`; import it into a record, such as a user’s avatar. Imports check the bytes, not what the client declared. Props that you may not see are absent. */
    ObjectFile: {
      /** @example v3kNqT8wYbR5xLmZp2HdC */
      id: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      updatedAt: string;
      /**
       * @description Ends in an extension that some relation accepts; stored in the Unicode form NFC.
       * @example olive.png
       */
      filename: string;
      /**
       * @description One that belongs to the extension, or that browsers and phones send for it.
       * @example image/png
       */
      contentType: string;
      /** @description The size of the upload; after the import, of the stored file. */
      sizeInBytes: number;
      /** @description The extension of the filename, in lower case. */
      extension: string;
      /** @enum {string} */
      status: 'pending' | 'ready' | 'postProcessingFailed' | 'verifyFailed';
      /** @description Facts about an imported file: `width`, `height`, `format`, `pages`, `entries`. */
      metadata: unknown;
      /**
       * @description The id of a User.
       * @example v3kNqT8wYbR5xLmZp2HdC
       */
      userId: string;
    };
    'ObjectFile.Create': {
      /**
       * @description Ends in an extension that some relation accepts; stored in the Unicode form NFC.
       * @example olive.png
       */
      filename: string;
      /**
       * @description One that belongs to the extension, or that browsers and phones send for it.
       * @example image/png
       */
      contentType: string;
      /**
       * @description The size of the upload; after the import, of the stored file.
       * @example 116
       */
      sizeInBytes: number;
    };
    'ObjectFile.Created': {
      props: components['schemas']['ObjectFile'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        user: components['schemas']['Kindred.Link'];
        avatarUsers: components['schemas']['Kindred.Link'];
        /** @description The bytes of a ready file; valid for 15 minutes. */
        file?: components['schemas']['Kindred.Link'];
        /** @description The thumbnail, for png, jpg, gif and webp. */
        thumbnail?: components['schemas']['Kindred.Link'];
      };
      meta: {
        /** @constant */
        kind: 'ObjectFile';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /**
         * Format: uri
         * @description Where to `PUT` the bytes; in this answer only.
         */
        presignedUrl: string;
        /** @description The headers that the upload must have; browsers set `content-length` themselves. */
        uploadHeaders: {
          [key: string]: string;
        };
        /**
         * Format: date-time
         * @description Until when the upload may start.
         * @example 2026-01-31T12:00:00.000Z
         */
        uploadExpiresAt: string;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
      /** @description With `includeRelated`. */
      related?: {
        user?: components['schemas']['User.Related'] | null;
      };
      /** @description With `includeOptions`. */
      options?: components['schemas']['ObjectFile.Options'];
      /** @description With `includeExtra`. */
      extras?: {
        /**
         * Format: uri
         * @description A URL of the bytes, valid for 15 minutes; null unless the file is ready and yours.
         */
        downloadUrl?: string | null;
      };
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    'ObjectFile.List': {
      paging: components['schemas']['Kindred.Paging'];
      items: components['schemas']['ObjectFile.Record'][];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    /** @description The choices for the props that you could see or set, by prop. */
    'ObjectFile.Options': {
      status?: components['schemas']['Kindred.Option'][];
    };
    'ObjectFile.Record': {
      props: components['schemas']['ObjectFile'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        user: components['schemas']['Kindred.Link'];
        avatarUsers: components['schemas']['Kindred.Link'];
        /** @description The bytes of a ready file; valid for 15 minutes. */
        file?: components['schemas']['Kindred.Link'];
        /** @description The thumbnail, for png, jpg, gif and webp. */
        thumbnail?: components['schemas']['Kindred.Link'];
      };
      /** @description With `includeMeta`. */
      meta?: {
        /** @constant */
        kind: 'ObjectFile';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
      /** @description With `includeRelated`. */
      related?: {
        user?: components['schemas']['User.Related'] | null;
      };
      /** @description With `includeOptions`. */
      options?: components['schemas']['ObjectFile.Options'];
      /** @description With `includeExtra`. */
      extras?: {
        /**
         * Format: uri
         * @description A URL of the bytes, valid for 15 minutes; null unless the file is ready and yours.
         */
        downloadUrl?: string | null;
      };
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    'ObjectFile.Related': {
      props: components['schemas']['ObjectFile'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        user: components['schemas']['Kindred.Link'];
        avatarUsers: components['schemas']['Kindred.Link'];
        /** @description The bytes of a ready file; valid for 15 minutes. */
        file?: components['schemas']['Kindred.Link'];
        /** @description The thumbnail, for png, jpg, gif and webp. */
        thumbnail?: components['schemas']['Kindred.Link'];
      };
      /** @description With `includeMeta`. */
      meta?: {
        /** @constant */
        kind: 'ObjectFile';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
    };
    'ObjectFile.Update': Record<string, never>;
    /** @description A login. Its id is the value of the cookie, so it is a secret. Props that you may not see are absent. */
    Session: {
      /** @example vkNqT8wYbR5xLmZp2HdCkNqT8wYbR5xLmZp2HdCkNqT8 */
      id: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      updatedAt: string;
      /**
       * @description The id of a User.
       * @example v3kNqT8wYbR5xLmZp2HdC
       */
      userId: string;
      /** @enum {string} */
      type: 'apiKey' | 'password';
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      expiresAt: string;
    };
    /** @description The choices for the props that you could see or set, by prop. */
    'Session.Options': {
      type?: components['schemas']['Kindred.Option'][];
    };
    'Session.Record': {
      props: components['schemas']['Session'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        user: components['schemas']['Kindred.Link'];
      };
      /** @description With `includeMeta`. */
      meta?: {
        /** @constant */
        kind: 'Session';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
      /** @description With `includeRelated`. */
      related?: {
        user?: components['schemas']['User.Related'] | null;
      };
      /** @description With `includeOptions`. */
      options?: components['schemas']['Session.Options'];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    /** @description A user, who logs in and owns records. The boolean props are the roles of the service. Props that you may not see are absent. */
    User: {
      /** @example v3kNqT8wYbR5xLmZp2HdC */
      id: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      createdAt: string;
      /**
       * Format: date-time
       * @example 2026-01-31T12:00:00.000Z
       */
      updatedAt: string;
      /**
       * @description Must be letters of one alphabet, digits, ".", "_" or "-", and not a word such as "null".
       * @example olive
       */
      username?: string;
      /**
       * Format: idn-email
       * @description Must be an e-mail address.
       * @example olive@example.com
       */
      email?: string;
      /** @example Olive Example */
      realName?: string | null;
      /**
       * @description Which name everyone sees, as `meta.displayName`.
       * @enum {string}
       */
      useAsDisplayName?: 'username' | 'email' | 'realName';
      admin?: boolean;
      developer?: boolean;
      /** @description A new e-mail address resets it. */
      verifiedEmail?: boolean;
      /**
       * @description The id of an ObjectFile. The picture; the address of its bytes is the link `avatarImage`.
       * @example v3kNqT8wYbR5xLmZp2HdC
       */
      avatarId: string | null;
    };
    'User.Create': {
      /**
       * @description Must be letters of one alphabet, digits, ".", "_" or "-", and not a word such as "null".
       * @example olive
       */
      username: string;
      /**
       * Format: idn-email
       * @description Must be an e-mail address.
       * @example olive@example.com
       */
      email: string;
      /** @example Olive Example */
      realName?: string | null;
      /** @example correct horse battery */
      password: string;
      /**
       * @description Which name everyone sees, as `meta.displayName`.
       * @default username
       * @example username
       * @enum {string}
       */
      useAsDisplayName?: 'username' | 'email' | 'realName';
      /**
       * @default false
       * @example false
       * @enum {boolean|string}
       */
      admin?: true | false | 'true' | 'false';
      /**
       * @default false
       * @example false
       * @enum {boolean|string}
       */
      developer?: true | false | 'true' | 'false';
      /**
       * @description A new e-mail address resets it.
       * @default false
       * @example false
       * @enum {boolean|string}
       */
      verifiedEmail?: true | false | 'true' | 'false';
      /** @description The id of an ObjectFile. The picture; the address of its bytes is the link `avatarImage`. */
      avatarId?: string | null;
    };
    'User.List': {
      paging: components['schemas']['Kindred.Paging'];
      items: components['schemas']['User.Record'][];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    /** @description The choices for the props that you could see or set, by prop. */
    'User.Options': {
      useAsDisplayName?: components['schemas']['Kindred.Option'][];
      admin?: components['schemas']['Kindred.Option'][];
      developer?: components['schemas']['Kindred.Option'][];
      verifiedEmail?: components['schemas']['Kindred.Option'][];
      avatarId?: components['schemas']['Kindred.Option'][];
    };
    'User.Record': {
      props: components['schemas']['User'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        avatar: components['schemas']['Kindred.Link'];
        objectfiles: components['schemas']['Kindred.Link'];
        apikeys: components['schemas']['Kindred.Link'];
        /** @description Where an uploaded file becomes the avatar. */
        importAvatar?: components['schemas']['Kindred.Link'];
        /** @description The picture, for everyone; the address changes whenever the picture does. */
        avatarImage?: components['schemas']['Kindred.Link'];
      };
      /** @description With `includeMeta`. */
      meta?: {
        /** @constant */
        kind: 'User';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /** @description The name that everyone sees. */
        displayName: string;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
      /** @description With `includeRelated`. */
      related?: {
        avatar?: components['schemas']['ObjectFile.Related'] | null;
      };
      /** @description With `includeOptions`. */
      options?: components['schemas']['User.Options'];
      /** @description What was ignored or withheld; absent if empty. */
      warnings?: components['schemas']['Kindred.Warning'][];
    };
    'User.Related': {
      props: components['schemas']['User'];
      /** @description With `includeLinks`. */
      links?: {
        base: components['schemas']['Kindred.Link'];
        self: components['schemas']['Kindred.Link'];
        avatar: components['schemas']['Kindred.Link'];
        objectfiles: components['schemas']['Kindred.Link'];
        apikeys: components['schemas']['Kindred.Link'];
        /** @description Where an uploaded file becomes the avatar. */
        importAvatar?: components['schemas']['Kindred.Link'];
        /** @description The picture, for everyone; the address changes whenever the picture does. */
        avatarImage?: components['schemas']['Kindred.Link'];
      };
      /** @description With `includeMeta`. */
      meta?: {
        /** @constant */
        kind: 'User';
        /** @description Whether you own the record. */
        isOwner: boolean;
        /** @description The name that everyone sees. */
        displayName: string;
        /**
         * @description This request deleted the record.
         * @constant
         */
        deleted?: true;
      };
    };
    'User.Update': {
      /**
       * @description Must be letters of one alphabet, digits, ".", "_" or "-", and not a word such as "null".
       * @example olive
       */
      username?: string;
      /**
       * Format: idn-email
       * @description Must be an e-mail address.
       * @example olive@example.com
       */
      email?: string;
      /** @example Olive Example */
      realName?: string | null;
      /** @example correct horse battery */
      password?: string;
      /**
       * @description Your current password; required to change your own username, e-mail address or password.
       * @example correct horse battery
       */
      currentPassword?: string | null;
      /**
       * @description Which name everyone sees, as `meta.displayName`.
       * @example username
       * @enum {string}
       */
      useAsDisplayName?: 'username' | 'email' | 'realName';
      /**
       * @example false
       * @enum {boolean|string}
       */
      admin?: true | false | 'true' | 'false';
      /**
       * @example false
       * @enum {boolean|string}
       */
      developer?: true | false | 'true' | 'false';
      /**
       * @description A new e-mail address resets it.
       * @example false
       * @enum {boolean|string}
       */
      verifiedEmail?: true | false | 'true' | 'false';
      /** @description The id of an ObjectFile. The picture; the address of its bytes is the link `avatarImage`. */
      avatarId?: string | null;
    };
  };
  responses: {
    /** @description Any other error. */
    error: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **400**: The request can't be read: framing, URL, query, JSON, or a text with a NUL, half a surrogate pair or more than 30 combining marks in a row; or the body is not a JSON object. `data`: null. */
    error400: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /**
     * @description **401**: The operation needs a session; or the session id is invalid or expired, and the cookie is cleared; or there are several session cookies, and none is cleared. `data`: null.
     *
     *     **454**: The login failed; the answer is the same, whatever was wrong. `data`: null.
     */
    error401: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        /** @description Clears the cookie of a session that has ended. */
        'Set-Cookie'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **403**: The caller may not do this, or may never see the prop in the filter or sort. `data`: prop, or null. */
    error403: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **404**: The path or record does not exist, or the caller may not see it. `data`: null. */
    error404: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **409**: A unique value is taken, the state of the record forbids the change, or a limit on the number of records is reached. `data`: prop, or null. */
    error409: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **412**: The version of the record is not one that `If-Match` names, or is one that `If-None-Match` names. `data`: null. */
    error412: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **413**: The body, or the declared file, is too large. `data`: the limit, in bytes. */
    error413: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **415**: The content type is not exactly `application/json`, or a file is not of an accepted type. `data`: prop, or null. */
    error415: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **416**: The `Range` header asks for bytes that the file does not have. `data`: null. */
    error416: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /**
     * @description **441**: A required value is missing, empty or null. `data`: prop; null if the whole body is empty.
     *
     *     **442**: A value is out of range, of the wrong type, too long, not in the list or of the wrong format. `data`: prop, or parameter.
     */
    error422: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **429**: Too many tries; `Retry-After` says how long to wait. `data`: seconds to wait. */
    error429: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        /** @description Seconds to wait. */
        'Retry-After'?: number;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **503**: The database or the storage can't be reached, the database is read-only, or the service is overloaded; `Retry-After` says when to try again. `data`: null. */
    error503: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        /** @description Seconds to wait. */
        'Retry-After'?: number;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
    /** @description **507**: There is no room for another file: on the disk of the storage, or within the limit for the bytes of all users that are not imported yet. `data`: null. */
    error507: {
      headers: {
        /** @description The id of the request, which the log has too. */
        'X-Request-Id'?: string;
        [name: string]: unknown;
      };
      content: {
        'application/json': components['schemas']['Kindred.Error'];
      };
    };
  };
  parameters: {
    /** @description The upper bound of `createdAt`, inclusive. */
    'APIKey._end_createdAt': string;
    /** @description The upper bound of `updatedAt`, inclusive. */
    'APIKey._end_updatedAt': string;
    /** @description The lower bound of `createdAt`, inclusive. */
    'APIKey._start_createdAt': string;
    /** @description The lower bound of `updatedAt`, inclusive. */
    'APIKey._start_updatedAt': string;
    /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'APIKey.id': string | string[];
    /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
    'APIKey.includeRelated': 'user'[];
    /** @description A text that `name` contains, where you may see it, regardless of case and Unicode form. */
    'APIKey.search': string | string[];
    /** @description The prop to sort by; values hidden from you sort like null. */
    'APIKey.sortBy': 'id' | 'createdAt' | 'updatedAt' | 'name' | 'userId' | 'expiresAt' | 'lastUsedAt';
    /** @description The upper bound of `createdAt`, inclusive. */
    'CronJob._end_createdAt': string;
    /** @description The upper bound of `updatedAt`, inclusive. */
    'CronJob._end_updatedAt': string;
    /** @description The lower bound of `createdAt`, inclusive. */
    'CronJob._start_createdAt': string;
    /** @description The lower bound of `updatedAt`, inclusive. */
    'CronJob._start_updatedAt': string;
    /** @description Only records whose `handler` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'CronJob.handler': string | string[];
    /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'CronJob.id': string | string[];
    /** @description Only records whose `schedule` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'CronJob.schedule': string | string[];
    /** @description The prop to sort by; values hidden from you sort like null. */
    'CronJob.sortBy':
      | 'id'
      | 'createdAt'
      | 'updatedAt'
      | 'schedule'
      | 'timezone'
      | 'handler'
      | 'enabled'
      | 'note'
      | 'lastRunAt'
      | 'nextRunAt';
    /** @description The upper bound of `createdAt`, inclusive. */
    'CronRun._end_createdAt': string;
    /** @description The upper bound of `scheduledFor`, inclusive. */
    'CronRun._end_scheduledFor': string;
    /** @description The upper bound of `updatedAt`, inclusive. */
    'CronRun._end_updatedAt': string;
    /** @description The lower bound of `createdAt`, inclusive. */
    'CronRun._start_createdAt': string;
    /** @description The lower bound of `scheduledFor`, inclusive. */
    'CronRun._start_scheduledFor': string;
    /** @description The lower bound of `updatedAt`, inclusive. */
    'CronRun._start_updatedAt': string;
    /** @description Only records whose `cronJobId` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'CronRun.cronJobId': string | string[];
    /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'CronRun.id': string | string[];
    /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
    'CronRun.includeRelated': 'cronJob'[];
    /** @description The prop to sort by; values hidden from you sort like null. */
    'CronRun.sortBy':
      | 'id'
      | 'createdAt'
      | 'updatedAt'
      | 'cronJobId'
      | 'scheduledFor'
      | 'startedAt'
      | 'finishedAt'
      | 'status'
      | 'attempt'
      | 'error';
    /** @description Only records whose `status` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'CronRun.status': string | string[];
    /** @description The upper bound of `createdAt`, inclusive. */
    'ObjectFile._end_createdAt': string;
    /** @description The upper bound of `sizeInBytes`, inclusive. */
    'ObjectFile._end_sizeInBytes': number;
    /** @description The upper bound of `updatedAt`, inclusive. */
    'ObjectFile._end_updatedAt': string;
    /** @description The lower bound of `createdAt`, inclusive. */
    'ObjectFile._start_createdAt': string;
    /** @description The lower bound of `sizeInBytes`, inclusive. */
    'ObjectFile._start_sizeInBytes': number;
    /** @description The lower bound of `updatedAt`, inclusive. */
    'ObjectFile._start_updatedAt': string;
    /** @description Only records whose `extension` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'ObjectFile.extension': string | string[];
    /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'ObjectFile.id': string | string[];
    /** @description Adds `extras`. Repeat the parameter or separate several by commas. */
    'ObjectFile.includeExtra': 'downloadUrl'[];
    /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
    'ObjectFile.includeRelated': 'user'[];
    /** @description A text that `filename` contains, where you may see it, regardless of case and Unicode form. */
    'ObjectFile.search': string | string[];
    /** @description Only records whose `sizeInBytes` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'ObjectFile.sizeInBytes': number | string | (number | string)[];
    /** @description The prop to sort by; values hidden from you sort like null. */
    'ObjectFile.sortBy':
      | 'id'
      | 'createdAt'
      | 'updatedAt'
      | 'filename'
      | 'contentType'
      | 'sizeInBytes'
      | 'extension'
      | 'status'
      | 'userId';
    /** @description Only records whose `status` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'ObjectFile.status': string | string[];
    /** @description Only records whose `userId` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'ObjectFile.userId': string | string[];
    /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
    'Session.includeRelated': 'user'[];
    /** @description The upper bound of `createdAt`, inclusive. */
    'User._end_createdAt': string;
    /** @description The upper bound of `updatedAt`, inclusive. */
    'User._end_updatedAt': string;
    /** @description The lower bound of `createdAt`, inclusive. */
    'User._start_createdAt': string;
    /** @description The lower bound of `updatedAt`, inclusive. */
    'User._start_updatedAt': string;
    /** @description Only records whose `admin` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'User.admin': boolean | string | (boolean | string)[];
    /** @description Only records whose `avatarId` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'User.avatarId': string | string[];
    /** @description Only records whose `createdAt` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'User.createdAt': string | string[];
    /** @description Only records whose `developer` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'User.developer': boolean | string | (boolean | string)[];
    /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
    'User.id': string | string[];
    /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
    'User.includeRelated': 'avatar'[];
    /** @description A text that `username` or `email` or `realName` contains, where you may see it, regardless of case and Unicode form. */
    'User.search': string | string[];
    /** @description The prop to sort by; values hidden from you sort like null. */
    'User.sortBy':
      | 'id'
      | 'createdAt'
      | 'updatedAt'
      | 'username'
      | 'email'
      | 'realName'
      | 'useAsDisplayName'
      | 'admin'
      | 'developer'
      | 'verifiedEmail'
      | 'avatarId';
    /** @description Entity tags, or `*`: a record of another version is not changed (412). */
    ifMatch: string;
    /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
    ifNoneMatch: string;
    /** @description Adds `links` to everything around the record. */
    includeLinks: boolean;
    /** @description Adds `meta`, the generated properties. */
    includeMeta: boolean;
    /** @description Adds `options`, the choices of enumerated props. */
    includeOptions: boolean;
    /** @description The most items on a page. */
    itemsPerPage: number;
    /** @description The list ends after this many items. */
    maxItems: number;
    /** @description The page, from 1. */
    page: number;
    /** @description Null and hidden values come last in `asc`, first in `desc`. */
    sortOrder: 'asc' | 'desc';
  };
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  listAPIKeys: {
    parameters: {
      query?: {
        /** @description The most items on a page. */
        itemsPerPage?: components['parameters']['itemsPerPage'];
        /** @description The page, from 1. */
        page?: components['parameters']['page'];
        /** @description The list ends after this many items. */
        maxItems?: components['parameters']['maxItems'];
        /** @description The prop to sort by; values hidden from you sort like null. */
        sortBy?: components['parameters']['APIKey.sortBy'];
        /** @description Null and hidden values come last in `asc`, first in `desc`. */
        sortOrder?: components['parameters']['sortOrder'];
        /** @description A text that `name` contains, where you may see it, regardless of case and Unicode form. */
        search?: components['parameters']['APIKey.search'];
        /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        id?: components['parameters']['APIKey.id'];
        /** @description The lower bound of `createdAt`, inclusive. */
        _start_createdAt?: components['parameters']['APIKey._start_createdAt'];
        /** @description The upper bound of `createdAt`, inclusive. */
        _end_createdAt?: components['parameters']['APIKey._end_createdAt'];
        /** @description The lower bound of `updatedAt`, inclusive. */
        _start_updatedAt?: components['parameters']['APIKey._start_updatedAt'];
        /** @description The upper bound of `updatedAt`, inclusive. */
        _end_updatedAt?: components['parameters']['APIKey._end_updatedAt'];
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['APIKey.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['APIKey.List'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  createAPIKey: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['APIKey.includeRelated'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['APIKey.Create'];
      };
    };
    responses: {
      /** @description The record. */
      201: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['APIKey.Created'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      409: components['responses']['error409'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listAPIKeyOptions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The choices, by prop. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['APIKey.Options'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readAPIKey: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['APIKey.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['APIKey.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  updateAPIKey: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['APIKey.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a record of another version is not changed (412). */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['APIKey.Update'];
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['APIKey.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      409: components['responses']['error409'];
      412: components['responses']['error412'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  deleteAPIKey: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['APIKey.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a record of another version is not changed (412). */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['APIKey.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      409: components['responses']['error409'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readAPIKeyUser: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listCronJobs: {
    parameters: {
      query?: {
        /** @description The most items on a page. */
        itemsPerPage?: components['parameters']['itemsPerPage'];
        /** @description The page, from 1. */
        page?: components['parameters']['page'];
        /** @description The list ends after this many items. */
        maxItems?: components['parameters']['maxItems'];
        /** @description The prop to sort by; values hidden from you sort like null. */
        sortBy?: components['parameters']['CronJob.sortBy'];
        /** @description Null and hidden values come last in `asc`, first in `desc`. */
        sortOrder?: components['parameters']['sortOrder'];
        /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        id?: components['parameters']['CronJob.id'];
        /** @description Only records whose `schedule` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        schedule?: components['parameters']['CronJob.schedule'];
        /** @description Only records whose `handler` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        handler?: components['parameters']['CronJob.handler'];
        /** @description The lower bound of `createdAt`, inclusive. */
        _start_createdAt?: components['parameters']['CronJob._start_createdAt'];
        /** @description The upper bound of `createdAt`, inclusive. */
        _end_createdAt?: components['parameters']['CronJob._end_createdAt'];
        /** @description The lower bound of `updatedAt`, inclusive. */
        _start_updatedAt?: components['parameters']['CronJob._start_updatedAt'];
        /** @description The upper bound of `updatedAt`, inclusive. */
        _end_updatedAt?: components['parameters']['CronJob._end_updatedAt'];
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronJob.List'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  createCronJob: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CronJob.Create'];
      };
    };
    responses: {
      /** @description The record. */
      201: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronJob.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      409: components['responses']['error409'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listCronJobOptions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The choices, by prop. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronJob.Options'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readCronJob: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronJob.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  updateCronJob: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
      };
      header?: {
        /** @description Entity tags, or `*`: a record of another version is not changed (412). */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CronJob.Update'];
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronJob.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      409: components['responses']['error409'];
      412: components['responses']['error412'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  deleteCronJob: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
      };
      header?: {
        /** @description Entity tags, or `*`: a record of another version is not changed (412). */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronJob.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      409: components['responses']['error409'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  runCronJob: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['CronRun.includeRelated'];
      };
      header?: never;
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      201: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronRun.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      409: components['responses']['error409'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listCronJobRuns: {
    parameters: {
      query?: {
        /** @description The most items on a page. */
        itemsPerPage?: components['parameters']['itemsPerPage'];
        /** @description The page, from 1. */
        page?: components['parameters']['page'];
        /** @description The list ends after this many items. */
        maxItems?: components['parameters']['maxItems'];
        /** @description The prop to sort by; values hidden from you sort like null. */
        sortBy?: components['parameters']['CronRun.sortBy'];
        /** @description Null and hidden values come last in `asc`, first in `desc`. */
        sortOrder?: components['parameters']['sortOrder'];
        /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        id?: components['parameters']['CronRun.id'];
        /** @description Only records whose `cronJobId` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        cronJobId?: components['parameters']['CronRun.cronJobId'];
        /** @description Only records whose `status` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        status?: components['parameters']['CronRun.status'];
        /** @description The lower bound of `createdAt`, inclusive. */
        _start_createdAt?: components['parameters']['CronRun._start_createdAt'];
        /** @description The upper bound of `createdAt`, inclusive. */
        _end_createdAt?: components['parameters']['CronRun._end_createdAt'];
        /** @description The lower bound of `updatedAt`, inclusive. */
        _start_updatedAt?: components['parameters']['CronRun._start_updatedAt'];
        /** @description The upper bound of `updatedAt`, inclusive. */
        _end_updatedAt?: components['parameters']['CronRun._end_updatedAt'];
        /** @description The lower bound of `scheduledFor`, inclusive. */
        _start_scheduledFor?: components['parameters']['CronRun._start_scheduledFor'];
        /** @description The upper bound of `scheduledFor`, inclusive. */
        _end_scheduledFor?: components['parameters']['CronRun._end_scheduledFor'];
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['CronRun.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronRun.List'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listCronRuns: {
    parameters: {
      query?: {
        /** @description The most items on a page. */
        itemsPerPage?: components['parameters']['itemsPerPage'];
        /** @description The page, from 1. */
        page?: components['parameters']['page'];
        /** @description The list ends after this many items. */
        maxItems?: components['parameters']['maxItems'];
        /** @description The prop to sort by; values hidden from you sort like null. */
        sortBy?: components['parameters']['CronRun.sortBy'];
        /** @description Null and hidden values come last in `asc`, first in `desc`. */
        sortOrder?: components['parameters']['sortOrder'];
        /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        id?: components['parameters']['CronRun.id'];
        /** @description Only records whose `cronJobId` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        cronJobId?: components['parameters']['CronRun.cronJobId'];
        /** @description Only records whose `status` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        status?: components['parameters']['CronRun.status'];
        /** @description The lower bound of `createdAt`, inclusive. */
        _start_createdAt?: components['parameters']['CronRun._start_createdAt'];
        /** @description The upper bound of `createdAt`, inclusive. */
        _end_createdAt?: components['parameters']['CronRun._end_createdAt'];
        /** @description The lower bound of `updatedAt`, inclusive. */
        _start_updatedAt?: components['parameters']['CronRun._start_updatedAt'];
        /** @description The upper bound of `updatedAt`, inclusive. */
        _end_updatedAt?: components['parameters']['CronRun._end_updatedAt'];
        /** @description The lower bound of `scheduledFor`, inclusive. */
        _start_scheduledFor?: components['parameters']['CronRun._start_scheduledFor'];
        /** @description The upper bound of `scheduledFor`, inclusive. */
        _end_scheduledFor?: components['parameters']['CronRun._end_scheduledFor'];
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['CronRun.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronRun.List'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listCronRunOptions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The choices, by prop. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronRun.Options'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readCronRun: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['CronRun.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronRun.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readCronRunCronJob: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CronJob.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listObjectFiles: {
    parameters: {
      query?: {
        /** @description The most items on a page. */
        itemsPerPage?: components['parameters']['itemsPerPage'];
        /** @description The page, from 1. */
        page?: components['parameters']['page'];
        /** @description The list ends after this many items. */
        maxItems?: components['parameters']['maxItems'];
        /** @description The prop to sort by; values hidden from you sort like null. */
        sortBy?: components['parameters']['ObjectFile.sortBy'];
        /** @description Null and hidden values come last in `asc`, first in `desc`. */
        sortOrder?: components['parameters']['sortOrder'];
        /** @description A text that `filename` contains, where you may see it, regardless of case and Unicode form. */
        search?: components['parameters']['ObjectFile.search'];
        /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        id?: components['parameters']['ObjectFile.id'];
        /** @description Only records whose `sizeInBytes` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        sizeInBytes?: components['parameters']['ObjectFile.sizeInBytes'];
        /** @description Only records whose `extension` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        extension?: components['parameters']['ObjectFile.extension'];
        /** @description Only records whose `status` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        status?: components['parameters']['ObjectFile.status'];
        /** @description Only records whose `userId` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        userId?: components['parameters']['ObjectFile.userId'];
        /** @description The lower bound of `createdAt`, inclusive. */
        _start_createdAt?: components['parameters']['ObjectFile._start_createdAt'];
        /** @description The upper bound of `createdAt`, inclusive. */
        _end_createdAt?: components['parameters']['ObjectFile._end_createdAt'];
        /** @description The lower bound of `updatedAt`, inclusive. */
        _start_updatedAt?: components['parameters']['ObjectFile._start_updatedAt'];
        /** @description The upper bound of `updatedAt`, inclusive. */
        _end_updatedAt?: components['parameters']['ObjectFile._end_updatedAt'];
        /** @description The lower bound of `sizeInBytes`, inclusive. */
        _start_sizeInBytes?: components['parameters']['ObjectFile._start_sizeInBytes'];
        /** @description The upper bound of `sizeInBytes`, inclusive. */
        _end_sizeInBytes?: components['parameters']['ObjectFile._end_sizeInBytes'];
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['ObjectFile.includeRelated'];
        /** @description Adds `extras`. Repeat the parameter or separate several by commas. */
        includeExtra?: components['parameters']['ObjectFile.includeExtra'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ObjectFile.List'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  createObjectFile: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['ObjectFile.includeRelated'];
        /** @description Adds `extras`. Repeat the parameter or separate several by commas. */
        includeExtra?: components['parameters']['ObjectFile.includeExtra'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ObjectFile.Create'];
      };
    };
    responses: {
      /** @description The record. */
      201: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ObjectFile.Created'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      409: components['responses']['error409'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      507: components['responses']['error507'];
      default: components['responses']['error'];
    };
  };
  listObjectFileOptions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The choices, by prop. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ObjectFile.Options'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readObjectFile: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['ObjectFile.includeRelated'];
        /** @description Adds `extras`. Repeat the parameter or separate several by commas. */
        includeExtra?: components['parameters']['ObjectFile.includeExtra'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ObjectFile.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  updateObjectFile: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['ObjectFile.includeRelated'];
        /** @description Adds `extras`. Repeat the parameter or separate several by commas. */
        includeExtra?: components['parameters']['ObjectFile.includeExtra'];
      };
      header?: {
        /** @description Entity tags, or `*`: a record of another version is not changed (412). */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ObjectFile.Update'];
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ObjectFile.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      409: components['responses']['error409'];
      412: components['responses']['error412'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      507: components['responses']['error507'];
      default: components['responses']['error'];
    };
  };
  deleteObjectFile: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['ObjectFile.includeRelated'];
        /** @description Adds `extras`. Repeat the parameter or separate several by commas. */
        includeExtra?: components['parameters']['ObjectFile.includeExtra'];
      };
      header?: {
        /** @description Entity tags, or `*`: a record of another version is not changed (412). */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ObjectFile.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      409: components['responses']['error409'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listObjectFileAvatarUsers: {
    parameters: {
      query?: {
        /** @description The most items on a page. */
        itemsPerPage?: components['parameters']['itemsPerPage'];
        /** @description The page, from 1. */
        page?: components['parameters']['page'];
        /** @description The list ends after this many items. */
        maxItems?: components['parameters']['maxItems'];
        /** @description The prop to sort by; values hidden from you sort like null. */
        sortBy?: components['parameters']['User.sortBy'];
        /** @description Null and hidden values come last in `asc`, first in `desc`. */
        sortOrder?: components['parameters']['sortOrder'];
        /** @description A text that `username` or `email` or `realName` contains, where you may see it, regardless of case and Unicode form. */
        search?: components['parameters']['User.search'];
        /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        id?: components['parameters']['User.id'];
        /** @description Only records whose `createdAt` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        createdAt?: components['parameters']['User.createdAt'];
        /** @description Only records whose `admin` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        admin?: components['parameters']['User.admin'];
        /** @description Only records whose `developer` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        developer?: components['parameters']['User.developer'];
        /** @description Only records whose `avatarId` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        avatarId?: components['parameters']['User.avatarId'];
        /** @description The lower bound of `createdAt`, inclusive. */
        _start_createdAt?: components['parameters']['User._start_createdAt'];
        /** @description The upper bound of `createdAt`, inclusive. */
        _end_createdAt?: components['parameters']['User._end_createdAt'];
        /** @description The lower bound of `updatedAt`, inclusive. */
        _start_updatedAt?: components['parameters']['User._start_updatedAt'];
        /** @description The upper bound of `updatedAt`, inclusive. */
        _end_updatedAt?: components['parameters']['User._end_updatedAt'];
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.List'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readObjectFileUser: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  login: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['Session.includeRelated'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json':
          | {
              /** @description The id of an APIKey. */
              apiKey: string;
              /** @description Its secret. */
              privateKey: string;
            }
          | {
              /** @description A username or e-mail address. */
              login: string;
              /** @description The password. */
              password: string;
            };
      };
    };
    responses: {
      /** @description The record. */
      201: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          /** @description `appSessionId`, the id of the session, and `appDeviceId`, which identifies the device at its next login; both are HttpOnly. */
          'Set-Cookie'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Session.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      429: components['responses']['error429'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  logout: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['Session.includeRelated'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          /** @description Clears the cookie, if it was for this session. */
          'Set-Cookie'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Session.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readSession: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['Session.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the session, a secret. */
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Session.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  endSession: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['Session.includeRelated'];
      };
      header?: never;
      path: {
        /** @description The id of the session, a secret. */
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          /** @description Clears the cookie, if it was for this session. */
          'Set-Cookie'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Session.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readSessionUser: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the session, a secret. */
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  echoGet: {
    parameters: {
      query?: {
        /** @description Any parameters. */
        query?: {
          [key: string]: string | string[];
        };
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            serverTime: string;
            httpMethod: string;
            /** @description Every parameter sent; a repeated one as an array. */
            query: {
              [key: string]: string | string[];
            };
          };
        };
      };
      400: components['responses']['error400'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  echoPut: {
    parameters: {
      query?: {
        /** @description Any parameters. */
        query?: {
          [key: string]: string | string[];
        };
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          [key: string]: unknown;
        };
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            serverTime: string;
            httpMethod: string;
            /** @description Every parameter sent; a repeated one as an array. */
            query: {
              [key: string]: string | string[];
            };
            body: {
              [key: string]: unknown;
            };
          };
        };
      };
      400: components['responses']['error400'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  echoPost: {
    parameters: {
      query?: {
        /** @description Any parameters. */
        query?: {
          [key: string]: string | string[];
        };
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          [key: string]: unknown;
        };
      };
    };
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            serverTime: string;
            httpMethod: string;
            /** @description Every parameter sent; a repeated one as an array. */
            query: {
              [key: string]: string | string[];
            };
            body: {
              [key: string]: unknown;
            };
          };
        };
      };
      400: components['responses']['error400'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  echoDelete: {
    parameters: {
      query?: {
        /** @description Any parameters. */
        query?: {
          [key: string]: string | string[];
        };
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The answer. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @constant */
            success: true;
            /**
             * Format: date-time
             * @example 2026-01-31T12:00:00.000Z
             */
            serverTime: string;
            httpMethod: string;
            /** @description Every parameter sent; a repeated one as an array. */
            query: {
              [key: string]: string | string[];
            };
          };
        };
      };
      400: components['responses']['error400'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listUsers: {
    parameters: {
      query?: {
        /** @description The most items on a page. */
        itemsPerPage?: components['parameters']['itemsPerPage'];
        /** @description The page, from 1. */
        page?: components['parameters']['page'];
        /** @description The list ends after this many items. */
        maxItems?: components['parameters']['maxItems'];
        /** @description The prop to sort by; values hidden from you sort like null. */
        sortBy?: components['parameters']['User.sortBy'];
        /** @description Null and hidden values come last in `asc`, first in `desc`. */
        sortOrder?: components['parameters']['sortOrder'];
        /** @description A text that `username` or `email` or `realName` contains, where you may see it, regardless of case and Unicode form. */
        search?: components['parameters']['User.search'];
        /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        id?: components['parameters']['User.id'];
        /** @description Only records whose `createdAt` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        createdAt?: components['parameters']['User.createdAt'];
        /** @description Only records whose `admin` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        admin?: components['parameters']['User.admin'];
        /** @description Only records whose `developer` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        developer?: components['parameters']['User.developer'];
        /** @description Only records whose `avatarId` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        avatarId?: components['parameters']['User.avatarId'];
        /** @description The lower bound of `createdAt`, inclusive. */
        _start_createdAt?: components['parameters']['User._start_createdAt'];
        /** @description The upper bound of `createdAt`, inclusive. */
        _end_createdAt?: components['parameters']['User._end_createdAt'];
        /** @description The lower bound of `updatedAt`, inclusive. */
        _start_updatedAt?: components['parameters']['User._start_updatedAt'];
        /** @description The upper bound of `updatedAt`, inclusive. */
        _end_updatedAt?: components['parameters']['User._end_updatedAt'];
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.List'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  createUser: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['User.Create'];
      };
    };
    responses: {
      /** @description The record. */
      201: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      409: components['responses']['error409'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      429: components['responses']['error429'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listUserOptions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The choices, by prop. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.Options'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  whoami: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readUser: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  updateUser: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a record of another version is not changed (412). */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['User.Update'];
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      409: components['responses']['error409'];
      412: components['responses']['error412'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      429: components['responses']['error429'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  deleteUser: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a record of another version is not changed (412). */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      409: components['responses']['error409'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listUserApikeys: {
    parameters: {
      query?: {
        /** @description The most items on a page. */
        itemsPerPage?: components['parameters']['itemsPerPage'];
        /** @description The page, from 1. */
        page?: components['parameters']['page'];
        /** @description The list ends after this many items. */
        maxItems?: components['parameters']['maxItems'];
        /** @description The prop to sort by; values hidden from you sort like null. */
        sortBy?: components['parameters']['APIKey.sortBy'];
        /** @description Null and hidden values come last in `asc`, first in `desc`. */
        sortOrder?: components['parameters']['sortOrder'];
        /** @description A text that `name` contains, where you may see it, regardless of case and Unicode form. */
        search?: components['parameters']['APIKey.search'];
        /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        id?: components['parameters']['APIKey.id'];
        /** @description The lower bound of `createdAt`, inclusive. */
        _start_createdAt?: components['parameters']['APIKey._start_createdAt'];
        /** @description The upper bound of `createdAt`, inclusive. */
        _end_createdAt?: components['parameters']['APIKey._end_createdAt'];
        /** @description The lower bound of `updatedAt`, inclusive. */
        _start_updatedAt?: components['parameters']['APIKey._start_updatedAt'];
        /** @description The upper bound of `updatedAt`, inclusive. */
        _end_updatedAt?: components['parameters']['APIKey._end_updatedAt'];
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['APIKey.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['APIKey.List'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readUserAvatar: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['ObjectFile.includeRelated'];
        /** @description Adds `extras`. Repeat the parameter or separate several by commas. */
        includeExtra?: components['parameters']['ObjectFile.includeExtra'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ObjectFile.Record'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  readAvatarImage: {
    parameters: {
      query?: {
        /** @description The version in the link `avatarImage`: with it the answer may be cached forever. */
        v?: string;
      };
      header?: never;
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The bytes. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the picture. */
          ETag?: string;
          /** @description How long it may be cached. */
          'Cache-Control'?: string;
          [name: string]: unknown;
        };
        content: {
          'image/*': unknown;
        };
      };
      /** @description The bytes that `Range` asks for. */
      206: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `If-None-Match` names this picture. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      404: components['responses']['error404'];
      416: components['responses']['error416'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  importAvatar: {
    parameters: {
      query?: {
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['User.includeRelated'];
      };
      header?: {
        /** @description Entity tags, or `*`: a record of another version is not changed (412). */
        'If-Match'?: components['parameters']['ifMatch'];
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The id of an ObjectFile. */
          objectFileId: string;
        };
      };
    };
    responses: {
      /** @description The record. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['User.Record'];
        };
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      409: components['responses']['error409'];
      412: components['responses']['error412'];
      413: components['responses']['error413'];
      415: components['responses']['error415'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
  listUserObjectfiles: {
    parameters: {
      query?: {
        /** @description The most items on a page. */
        itemsPerPage?: components['parameters']['itemsPerPage'];
        /** @description The page, from 1. */
        page?: components['parameters']['page'];
        /** @description The list ends after this many items. */
        maxItems?: components['parameters']['maxItems'];
        /** @description The prop to sort by; values hidden from you sort like null. */
        sortBy?: components['parameters']['ObjectFile.sortBy'];
        /** @description Null and hidden values come last in `asc`, first in `desc`. */
        sortOrder?: components['parameters']['sortOrder'];
        /** @description A text that `filename` contains, where you may see it, regardless of case and Unicode form. */
        search?: components['parameters']['ObjectFile.search'];
        /** @description Only records whose `id` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        id?: components['parameters']['ObjectFile.id'];
        /** @description Only records whose `sizeInBytes` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        sizeInBytes?: components['parameters']['ObjectFile.sizeInBytes'];
        /** @description Only records whose `extension` is this value, or any of these. The value may begin with `>`, `>=`, `<`, `<=`, `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        extension?: components['parameters']['ObjectFile.extension'];
        /** @description Only records whose `status` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        status?: components['parameters']['ObjectFile.status'];
        /** @description Only records whose `userId` is this value, or any of these. The value may begin with `!=` or `<>`; `null` and `!=null` ask whether there is one. A backslash before the value takes it literally, even if it looks like an operator, `null` or a backslash. */
        userId?: components['parameters']['ObjectFile.userId'];
        /** @description The lower bound of `createdAt`, inclusive. */
        _start_createdAt?: components['parameters']['ObjectFile._start_createdAt'];
        /** @description The upper bound of `createdAt`, inclusive. */
        _end_createdAt?: components['parameters']['ObjectFile._end_createdAt'];
        /** @description The lower bound of `updatedAt`, inclusive. */
        _start_updatedAt?: components['parameters']['ObjectFile._start_updatedAt'];
        /** @description The upper bound of `updatedAt`, inclusive. */
        _end_updatedAt?: components['parameters']['ObjectFile._end_updatedAt'];
        /** @description The lower bound of `sizeInBytes`, inclusive. */
        _start_sizeInBytes?: components['parameters']['ObjectFile._start_sizeInBytes'];
        /** @description The upper bound of `sizeInBytes`, inclusive. */
        _end_sizeInBytes?: components['parameters']['ObjectFile._end_sizeInBytes'];
        /** @description Adds `meta`, the generated properties. */
        includeMeta?: components['parameters']['includeMeta'];
        /** @description Adds `links` to everything around the record. */
        includeLinks?: components['parameters']['includeLinks'];
        /** @description Adds `options`, the choices of enumerated props. */
        includeOptions?: components['parameters']['includeOptions'];
        /** @description Adds parent records as `related`. Repeat the parameter or separate several by commas. */
        includeRelated?: components['parameters']['ObjectFile.includeRelated'];
        /** @description Adds `extras`. Repeat the parameter or separate several by commas. */
        includeExtra?: components['parameters']['ObjectFile.includeExtra'];
      };
      header?: {
        /** @description Entity tags, or `*`: a read that would answer the same is 304, and a write to that version is 412. */
        'If-None-Match'?: components['parameters']['ifNoneMatch'];
      };
      path: {
        /** @description The id of the record. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of records. */
      200: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ObjectFile.List'];
        };
      };
      /** @description The answer would be the one that `If-None-Match` names. */
      304: {
        headers: {
          /** @description The id of the request, which the log has too. */
          'X-Request-Id'?: string;
          /** @description The version of the record in this form, for `If-Match` and `If-None-Match`. */
          ETag?: string;
          [name: string]: unknown;
        };
        content?: never;
      };
      400: components['responses']['error400'];
      401: components['responses']['error401'];
      403: components['responses']['error403'];
      404: components['responses']['error404'];
      412: components['responses']['error412'];
      422: components['responses']['error422'];
      503: components['responses']['error503'];
      default: components['responses']['error'];
    };
  };
}
