import { Injectable, RequestMethod, type Type, VERSION_NEUTRAL } from '@nestjs/common';
import {
  HTTP_CODE_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import type { HTTPMethods } from 'fastify';
import { basePathOf, FIRST_VERSION } from '../common/api-path.js';
import { ACCESS_KEY, type AccessLevel } from '../http/access.decorator.js';
import { OPERATION_KEY, type Operation, type OperationSource } from './operation.decorator.js';

/** A route of the running service, with what its method declares. */
export interface Route {
  readonly method: HTTPMethods;
  /** From the root, as the router has it: `/api/v1/users/:id`. */
  readonly path: string;
  /** The version of the API that it is part of; null for none. */
  readonly version: string | null;
  /** The path of the controller alone: `users`. */
  readonly base: string;
  /** Class and method, for messages. */
  readonly handler: string;
  /** HTTP status of a successful response. */
  readonly status: number;
  readonly access: AccessLevel | undefined;
  /** Undefined if the route has no description. */
  readonly source: OperationSource<never> | undefined;
}

const join = (...parts: readonly string[]) =>
  `/${parts.join('/')}`.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');

/** Lists the routes of all controllers, by the metadata that Nest itself reads, and those that were added. */
@Injectable()
export class Routes {
  private readonly added: Route[] = [];
  private readonly scanner = new MetadataScanner();

  constructor(
    private readonly modules: ModulesContainer,
    private readonly reflector: Reflector,
  ) {}

  /** Those of a version of the API, and those that belong to none. */
  of(version: string): Route[] {
    const declared = this.declared().filter((route) => route.version === version || route.version === null);
    return [...declared, ...this.added];
  }

  /** Adds one that no controller has, and that everybody may call; it belongs to no version. */
  add(route: Pick<Route, 'method' | 'path' | 'status'>, operation: Operation): void {
    const { id: handler } = operation;
    this.added.push({ ...route, version: null, base: '', handler, access: 'open', source: operation });
  }

  private declared(): Route[] {
    const controllers = [...this.modules.values()].flatMap((module) => [...module.controllers.values()]);
    return controllers.flatMap(({ metatype }) => {
      if (typeof metatype !== 'function') return [];
      const prototype = metatype.prototype as Record<string, () => unknown>;
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const method = prototype[name];
        return method ? this.routesOf(metatype as Type, method, name) : [];
      });
    });
  }

  private routesOf(controller: Type, handler: () => unknown, name: string): Route[] {
    const verb = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (verb === undefined) return [];
    const base = String(Reflect.getMetadata(PATH_METADATA, controller));
    const status = Reflect.getMetadata(HTTP_CODE_METADATA, handler) as number | undefined;
    const version = this.versionOf(controller);
    const prefix = version === null ? '' : basePathOf(version);
    const given: unknown = Reflect.getMetadata(PATH_METADATA, handler);
    const own = Array.isArray(given) ? given.map(String) : [String(given)];
    return own.map((path) => ({
      method: RequestMethod[verb],
      path: join(prefix, base, path),
      version,
      base: base.replace(/^\//, ''),
      handler: `${controller.name}.${name}`,
      status: status ?? (verb === RequestMethod.POST ? 201 : 200),
      access: this.reflector.getAllAndOverride<AccessLevel | undefined>(ACCESS_KEY, [handler, controller]),
      source: Reflect.getMetadata(OPERATION_KEY, handler) as OperationSource<never> | undefined,
    }));
  }

  /** As Nest finds it: a controller that says none belongs to the first version. */
  private versionOf(controller: Type): string | null {
    const version: unknown = Reflect.getMetadata(VERSION_METADATA, controller) ?? FIRST_VERSION;
    return version === VERSION_NEUTRAL ? null : String(version);
  }
}
