import { OptionsError } from "../../client";

/**
 * Thrown for what a configuration needs and the machine lacks at present: a file that it names, an address to listen on. It may
 * pass by itself, so trying again helps; any other {@link OptionsError} is a mistake in the configuration.
 */
export class Unavailable extends OptionsError {}
